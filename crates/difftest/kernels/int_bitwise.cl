// And, or, xor, not, and what narrowing and widening do to them.
// launch: block=64 grid=1
// arg: a=i32[64]:edges
// arg: b=i32[64]:random
// arg: out=i64[512]
#pragma OPENCL FP_CONTRACT OFF

kernel void bitwise(global const int *a, global const int *b, global long *out) {
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    global long *o = out + 8 * i;
    o[0] = x & y;
    o[1] = x | y;
    o[2] = x ^ y;
    o[3] = ~x;
    o[4] = (uchar)~(uchar)x;
    o[5] = (char)(x ^ y) & 0xff;
    o[6] = (ushort)(x | 0xf0f0) & ~y;
    o[7] = !x + 2 * !y + 4 * (x && y) + 8 * (x || y);
}
