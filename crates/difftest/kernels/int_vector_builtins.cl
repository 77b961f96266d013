// Integer builtins on vectors.
// launch: block=16 grid=1
// arg: a=i32[64]:edges
// arg: b=i32[64]:random
// arg: out=i32[448]
#pragma OPENCL FP_CONTRACT OFF

kernel void vbuiltins(global const int *a, global const int *b, global int *out) {
    size_t i = get_global_id(0);
    int4 x = vload4(i, a), y = vload4(i, b);
    vstore4(as_int4(abs_diff(x, y)), 7 * i, out);
    vstore4(add_sat(x, y), 7 * i + 1, out);
    vstore4(rhadd(x, y), 7 * i + 2, out);
    vstore4(mul_hi(x, y), 7 * i + 3, out);
    vstore4(max(x, y) ^ min(x, 5), 7 * i + 4, out);
    vstore4(clamp(x, -9, 9) + rotate(y, x), 7 * i + 5, out);
    vstore4(clz(x) * 64 + popcount(y), 7 * i + 6, out);
}
