// Hyperbolic functions and their inverses, erf, tgamma.
// launch: block=64 grid=1
// ulp: 16
// arg: a=f32[64]:random(0.05,4)
// arg: out=f32[512]
#pragma OPENCL FP_CONTRACT OFF

kernel void hyper(global const float *a, global float *out) {
    size_t i = get_global_id(0);
    float x = a[i];
    global float *o = out + 8 * i;
    o[0] = sinh(x);
    o[1] = cosh(x);
    o[2] = tanh(x);
    o[3] = asinh(x);
    o[4] = acosh(x + 1.0f);
    o[5] = atanh(x / 5.0f);
    o[6] = erf(x);
    o[7] = tgamma(x);
}
