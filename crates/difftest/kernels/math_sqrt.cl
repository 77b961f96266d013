// sqrt in single and double precision.
// launch: block=64 grid=1
// ulp: 3
// arg: a=f32[64]:random(0,1000)
// arg: b=f64[64]:random(0,1000)
// arg: out=f32[64]
// arg: dout=f64[64]
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void roots(global const float *a, global const double *b, global float *out, global double *dout) {
    size_t i = get_global_id(0);
    out[i] = sqrt(a[i]);
    dout[i] = sqrt(b[i]);
}
