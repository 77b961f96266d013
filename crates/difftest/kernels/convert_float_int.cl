// Floating point to integers: towards zero, and the other roundings.
// launch: block=64 grid=1
// arg: a=f32[64]:random(-100,100)
// arg: out=i32[768]
#pragma OPENCL FP_CONTRACT OFF

kernel void ftoi(global const float *a, global int *out) {
    size_t i = get_global_id(0);
    float x = a[i];
    global int *o = out + 12 * i;
    o[0] = (int)x;
    o[1] = (char)x;
    o[2] = (uint)fabs(x);
    o[3] = (ushort)fabs(x);
    o[4] = convert_int_rte(x);
    o[5] = convert_int_rtz(x);
    o[6] = convert_int_rtp(x);
    o[7] = convert_int_rtn(x);
    o[8] = convert_short_rte(x * 100.0f);
    o[9] = (int)convert_long_rtn(x * 1000.0f);
    o[10] = convert_uchar_rtp(fabs(x));
    o[11] = (int)(long)(x * 1e6f);
}
