// Maths functions on vectors.
// launch: block=16 grid=1
// ulp: 8
// arg: a=f32[64]:random(0.5,8)
// arg: out=f32[256]
#pragma OPENCL FP_CONTRACT OFF

kernel void vmath(global const float *a, global float *out) {
    size_t i = get_global_id(0);
    float4 x = vload4(i, a);
    vstore4(sqrt(x), 4 * i, out);
    vstore4(exp(x), 4 * i + 1, out);
    vstore4(sin(x), 4 * i + 2, out);
    vstore4(fmax(floor(x), 3.0f), 4 * i + 3, out);
}
