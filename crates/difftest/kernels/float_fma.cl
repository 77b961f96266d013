// fma rounds once; mad-like chains round twice under FP_CONTRACT OFF.
// launch: block=64 grid=1
// arg: a=f32[64]:random
// arg: b=f32[64]:random
// arg: c=f32[64]:random
// arg: out=f32[192]
#pragma OPENCL FP_CONTRACT OFF

kernel void fmas(global const float *a, global const float *b, global const float *c, global float *out) {
    size_t i = get_global_id(0);
    out[3 * i] = fma(a[i], b[i], c[i]);
    out[3 * i + 1] = a[i] * b[i] + c[i];
    out[3 * i + 2] = fma(a[i], b[i], -a[i] * b[i]);
}
