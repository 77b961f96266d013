// Integers to floating point: nearest even, and the directed roundings.
// launch: block=64 grid=1
// arg: a=i64[64]:edges
// arg: b=i32[64]:random
// arg: out=f32[640]
#pragma OPENCL FP_CONTRACT OFF

kernel void itof(global const long *a, global const int *b, global float *out) {
    size_t i = get_global_id(0);
    global float *o = out + 10 * i;
    o[0] = (float)a[i];
    o[1] = (float)(ulong)a[i];
    o[2] = (float)b[i];
    o[3] = (float)(uint)b[i];
    o[4] = (float)(char)b[i];
    o[5] = (float)(ushort)b[i];
    o[6] = convert_float_rtz(b[i]);
    o[7] = convert_float_rtp(b[i]);
    o[8] = convert_float_rtn(b[i]);
    o[9] = convert_float_rte((uint)b[i]);
}
