// fmod and remainder are exact.
// launch: block=64 grid=1
// arg: a=f32[64]:random(-1000,1000)
// arg: b=f32[64]:random
// arg: out=f32[192]
#pragma OPENCL FP_CONTRACT OFF

kernel void remainders(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    out[3 * i] = fmod(a[i], b[i]);
    out[3 * i + 1] = remainder(a[i], b[i]);
    out[3 * i + 2] = fmod(-a[i], 3.0f);
}
