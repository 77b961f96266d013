// upsample of 8, 16 and 32 bits, signed and unsigned.
// launch: block=64 grid=1
// arg: a=u32[64]:random
// arg: b=u32[64]:edges
// arg: out=i64[384]
#pragma OPENCL FP_CONTRACT OFF

kernel void ups(global const uint *a, global const uint *b, global long *out) {
    size_t i = get_global_id(0);
    global long *o = out + 6 * i;
    o[0] = upsample((char)a[i], (uchar)b[i]);
    o[1] = upsample((uchar)a[i], (uchar)b[i]);
    o[2] = upsample((short)a[i], (ushort)b[i]);
    o[3] = upsample((ushort)a[i], (ushort)b[i]);
    o[4] = upsample((int)a[i], b[i]);
    o[5] = (long)upsample(a[i], b[i]);
}
