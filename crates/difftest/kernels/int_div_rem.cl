// Division and remainder, signed (towards zero) and unsigned, of every width.
// launch: block=16 grid=4
// arg: a=i64[64]:edges
// arg: b=i64[64]:random
// arg: out=i64[1024]
#pragma OPENCL FP_CONTRACT OFF

kernel void divrem(global const long *a, global const long *b, global long *out) {
    size_t i = get_global_id(0);
    global long *o = out + 16 * i;
    long n = a[i], d = (b[i] % 1000) * 2 + 1;
    if (d == -1) d = 3;
    char n8 = (char)n, d8 = (char)((d & 31) + 1);
    short n16 = (short)n, d16 = (short)((d & 1023) + 1);
    int n32 = (int)n, d32 = (int)d;
    o[0] = n8 / d8;
    o[1] = n8 % d8;
    o[2] = (uchar)n8 / (uchar)d8;
    o[3] = (uchar)n8 % (uchar)d8;
    o[4] = n16 / d16;
    o[5] = n16 % d16;
    o[6] = (ushort)n16 / (ushort)d16;
    o[7] = (ushort)n16 % (ushort)d16;
    o[8] = n32 / d32;
    o[9] = n32 % d32;
    o[10] = (uint)n32 / (uint)d32;
    o[11] = (uint)n32 % (uint)d32;
    o[12] = n / d;
    o[13] = n % d;
    o[14] = (long)((ulong)n / (ulong)d);
    o[15] = (long)((ulong)n % (ulong)d);
}
