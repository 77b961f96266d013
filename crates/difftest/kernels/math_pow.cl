// Powers and roots.
// launch: block=64 grid=2
// ulp: 16
// arg: a=f32[128]:random(0.1,8)
// arg: b=f32[128]:random
// arg: out=f32[768]
#pragma OPENCL FP_CONTRACT OFF

kernel void powers(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    global float *o = out + 6 * i;
    o[0] = pow(x, y);
    o[1] = powr(x, y);
    o[2] = pown(y, 3);
    o[3] = rsqrt(x);
    o[4] = cbrt(y);
    o[5] = hypot(x, y);
}
