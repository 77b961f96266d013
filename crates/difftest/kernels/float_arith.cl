// Single precision: the four operations, negation, and their chains.
// launch: block=64 grid=2
// arg: a=f32[128]:random
// arg: b=f32[128]:random
// arg: out=f32[768]
#pragma OPENCL FP_CONTRACT OFF

kernel void farith(global const float *a, global const float *b, global float *out) {
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    global float *o = out + 6 * i;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = x / y;
    o[4] = -x;
    o[5] = (x * y + x) / (y - 0.3f) - x * x * y;
}
