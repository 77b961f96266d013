// select and bitselect, scalars and vectors.
// launch: block=16 grid=1
// arg: a=i32[64]:random
// arg: b=i32[64]:random
// arg: c=i32[64]:random
// arg: out=i32[256]
#pragma OPENCL FP_CONTRACT OFF

kernel void sel(global const int *a, global const int *b, global const int *c, global int *out) {
    size_t i = get_global_id(0);
    int4 x = vload4(i, a), y = vload4(i, b), z = vload4(i, c);
    vstore4(select(x, y, z), 4 * i, out);
    vstore4(bitselect(x, y, z), 4 * i + 1, out);
    int4 r;
    r.x = select(x.x, y.x, z.x);
    r.y = bitselect(x.y, y.y, z.y);
    r.z = as_int(select(as_float(x.z & 0x3fffffff), 1.5f, z.z & 1));
    r.w = (int)select((char)x.w, (char)y.w, (char)z.w);
    vstore4(r, 4 * i + 2, out);
    vstore4(as_int4(bitselect(as_float4(x & 0x3fffffff), as_float4(y & 0x3fffffff), as_float4(z & 0x3fffffff))),
            4 * i + 3, out);
}
