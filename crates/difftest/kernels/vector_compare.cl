// Comparisons and logic on vectors yield masks.
// launch: block=16 grid=1
// arg: a=f32[64]:random
// arg: b=f32[64]:random
// arg: out=i32[256]
#pragma OPENCL FP_CONTRACT OFF

kernel void vcompare(global const float *a, global const float *b, global int *out) {
    size_t i = get_global_id(0);
    float4 x = vload4(i, a), y = vload4(i, b);
    int4 less = x < y;
    vstore4(less, 4 * i, out);
    vstore4((x > 0.0f) && (y > 0.0f), 4 * i + 1, out);
    vstore4(!(x == y) | (x >= 1.0f), 4 * i + 2, out);
    int4 n = any(less) ? 1 : -1;
    n.y = all(x < 100.0f);
    n.zw = (less ? convert_int4(x) : convert_int4(y)).xy;
    vstore4(n, 4 * i + 3, out);
}
