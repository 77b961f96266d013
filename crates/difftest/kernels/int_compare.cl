// Comparisons of every width, with and without sign.
// launch: block=64 grid=1
// arg: a=i64[64]:edges
// arg: b=i64[64]:random
// arg: out=u32[64]
#pragma OPENCL FP_CONTRACT OFF

kernel void compare(global const long *a, global const long *b, global uint *out) {
    size_t i = get_global_id(0);
    long x = a[i], y = (i & 3) ? b[i] : x;
    uint r = 0;
    r = 2 * r + ((char)x < (char)y);
    r = 2 * r + ((uchar)x < (uchar)y);
    r = 2 * r + ((short)x <= (short)y);
    r = 2 * r + ((ushort)x <= (ushort)y);
    r = 2 * r + ((int)x > (int)y);
    r = 2 * r + ((uint)x > (uint)y);
    r = 2 * r + (x >= y);
    r = 2 * r + ((ulong)x >= (ulong)y);
    r = 2 * r + (x == y);
    r = 2 * r + (x != y);
    r = 2 * r + ((int)x == (short)x);
    r = 2 * r + ((long)(int)x != x);
    out[i] = r;
}
