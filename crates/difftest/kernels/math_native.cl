// The native_ and half_ forms, where both sides are free: a loose tolerance.
// launch: block=64 grid=1
// ulp: 16384
// arg: a=f32[64]:random(0.5,4)
// arg: out=f32[448]
#pragma OPENCL FP_CONTRACT OFF

kernel void native(global const float *a, global float *out) {
    size_t i = get_global_id(0);
    float x = a[i];
    global float *o = out + 7 * i;
    o[0] = native_sin(x * 0.3f);
    o[1] = native_exp(x);
    o[2] = native_log(x + 1.5f);
    o[3] = native_sqrt(x);
    o[4] = native_recip(x);
    o[5] = native_divide(x, 3.0f);
    o[6] = half_rsqrt(x);
}
