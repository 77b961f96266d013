// Double precision to and from integers.
// launch: block=64 grid=1
// arg: a=f64[64]:random(-1e9,1e9)
// arg: b=i64[64]:random
// arg: out=i64[320]
// arg: dout=f64[192]
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void dconv(global const double *a, global const long *b, global long *out, global double *dout) {
    size_t i = get_global_id(0);
    global long *o = out + 5 * i;
    o[0] = (long)(a[i] * 1e5);
    o[1] = (int)a[i];
    o[2] = convert_int_sat(a[i] * 10.0);
    o[3] = (long)(ulong)fabs(a[i] * 1e9);
    o[4] = convert_short_sat_rte(a[i] * 1e-5);
    dout[3 * i] = (double)b[i];
    dout[3 * i + 1] = (double)(ulong)b[i];
    dout[3 * i + 2] = (double)(int)b[i] / 7.0;
}
