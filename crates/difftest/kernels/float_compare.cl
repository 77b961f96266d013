// All comparisons, ordered and not, at edge values.
// launch: block=27 grid=27
// arg: v=f32[27]:edges
// arg: out=i32[729]
#pragma OPENCL FP_CONTRACT OFF

kernel void fcompare(global const float *v, global int *out) {
    float x = v[get_local_id(0)], y = v[get_group_id(0)];
    int r = 0;
    r = 2 * r + (x < y);
    r = 2 * r + (x <= y);
    r = 2 * r + (x > y);
    r = 2 * r + (x >= y);
    r = 2 * r + (x == y);
    r = 2 * r + (x != y);
    r = 2 * r + !(x < y);
    r = 2 * r + (x != 0.0f ? 1 : 0);
    r = 2 * r + (x != 0.0f && y != 0.0f);
    out[get_global_id(0)] = r;
}
