// Between single and double precision, and back.
// launch: block=64 grid=1
// arg: a=f32[64]:random
// arg: b=f64[64]:random
// arg: out=f64[256]
// arg: fout=f32[192]
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void mixed(global const float *a, global const double *b, global double *out, global float *fout) {
    size_t i = get_global_id(0);
    out[4 * i] = a[i] * b[i];
    out[4 * i + 1] = (double)a[i] / 3.0;
    out[4 * i + 2] = a[i] / 3.0f;
    out[4 * i + 3] = (float)b[i];
    fout[3 * i] = (float)(b[i] * 1e-40);
    fout[3 * i + 1] = (float)(b[i] * 1e40);
    fout[3 * i + 2] = (float)b[i] + (float)(a[i] * b[i]);
}
