// Maths functions in double precision.
// launch: block=64 grid=1
// ulp: 8
// arg: a=f64[64]:random(0.1,8)
// arg: out=f64[512]
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void dmath(global const double *a, global double *out) {
    size_t i = get_global_id(0);
    double x = a[i];
    global double *o = out + 8 * i;
    o[0] = sin(x);
    o[1] = cos(x);
    o[2] = exp(x);
    o[3] = log(x + 1.5);
    o[4] = pow(x, 1.25);
    o[5] = atan(x);
    o[6] = fma(x, x, -1.0);
    o[7] = floor(x) + rint(x * 10.0);
}
