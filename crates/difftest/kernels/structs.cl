// Structs in global memory with padding, nested, arrays in them, copied whole.
// launch: block=16 grid=1
// arg: data=i32[128]:random
// arg: out=i32[128]
#pragma OPENCL FP_CONTRACT OFF

typedef struct { char tag; short small; int values[3]; } Inner;
typedef struct { Inner a; int between; float f; uchar bytes[4]; int last; } Outer;
kernel void structs(global const Outer *data, global Outer *out) {
    size_t i = get_global_id(0);
    Outer o = data[i];
    o.a.tag = (char)(o.a.small + 1);
    o.a.values[i % 3] ^= o.between;
    o.f = (float)o.a.values[1];
    o.bytes[i & 3] = (uchar)i;
    Inner copy = o.a;
    copy.values[2] = o.a.values[0];
    out[i] = o;
    out[i].a.values[2] = copy.values[2];
    out[i].a.small = copy.small;
}
