// Trigonometric functions.
// launch: block=64 grid=2
// ulp: 8
// arg: a=f32[128]:random
// arg: out=f32[1024]
#pragma OPENCL FP_CONTRACT OFF

kernel void trig(global const float *a, global float *out) {
    size_t i = get_global_id(0);
    float x = a[i], u = x / 8.0f;
    global float *o = out + 8 * i;
    o[0] = sin(x);
    o[1] = cos(x);
    o[2] = tan(x);
    o[3] = asin(u);
    o[4] = acos(u);
    o[5] = atan(x);
    o[6] = atan2(x, 0.5f);
    float c;
    o[7] = sincos(x, &c) * c;
}
