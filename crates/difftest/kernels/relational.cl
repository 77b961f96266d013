// isnan, isinf, isnormal, isgreater and so on, scalars and vectors.
// launch: block=27 grid=27
// arg: v=f32[27]:edges
// arg: out=i32[729]
#pragma OPENCL FP_CONTRACT OFF

kernel void relational(global const float *v, global int *out) {
    float x = v[get_local_id(0)], y = v[get_group_id(0)];
    int r = 0;
    r = 2 * r + isequal(x, y);
    r = 2 * r + isnotequal(x, y);
    r = 2 * r + isgreater(x, y);
    r = 2 * r + isgreaterequal(x, y);
    r = 2 * r + isless(x, y);
    r = 2 * r + islessequal(x, y);
    r = 2 * r + islessgreater(x, y);
    r = 2 * r + isfinite(x);
    r = 2 * r + isinf(x);
    r = 2 * r + isnan(x);
    r = 2 * r + isnormal(x);
    r = 2 * r + isordered(x, y);
    r = 2 * r + isunordered(x, y);
    r = 4 * r + (any(isless((float2)(x, y), (float2)(y, x))) ? 1 : 0);
    out[get_global_id(0)] = r;
}
