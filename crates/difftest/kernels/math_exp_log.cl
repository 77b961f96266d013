// Exponentials and logarithms.
// launch: block=64 grid=2
// ulp: 6
// arg: a=f32[128]:random
// arg: b=f32[128]:random(0.1,100)
// arg: out=f32[1024]
#pragma OPENCL FP_CONTRACT OFF

kernel void explog(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    global float *o = out + 8 * i;
    o[0] = exp(x);
    o[1] = exp2(x);
    o[2] = exp10(x);
    o[3] = expm1(x);
    o[4] = log(y + 1.5f);
    o[5] = log2(y + 1.5f);
    o[6] = log10(y + 1.5f);
    o[7] = log1p(y);
}
