// Saturating conversions, NaN and infinities included.
// launch: block=64 grid=1
// arg: a=f32[64]:edges
// arg: b=i64[64]:edges
// arg: out=i64[896]
#pragma OPENCL FP_CONTRACT OFF

kernel void sat(global const float *a, global const long *b, global long *out) {
    size_t i = get_global_id(0);
    float x = a[i] * 100.0f;
    long y = b[i];
    global long *o = out + 14 * i;
    o[0] = convert_char_sat(x);
    o[1] = convert_uchar_sat(x);
    o[2] = convert_short_sat(x);
    o[3] = convert_ushort_sat_rte(x);
    o[4] = convert_int_sat(x);
    o[5] = convert_uint_sat(x);
    o[6] = convert_long_sat(x);
    o[7] = (long)convert_ulong_sat(x);
    o[8] = convert_char_sat(y);
    o[9] = convert_uchar_sat(y);
    o[10] = convert_short_sat((int)y);
    o[11] = convert_uint_sat(y);
    o[12] = convert_int_sat((ulong)y);
    o[13] = (long)convert_ulong_sat(y);
}
