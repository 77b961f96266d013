// Barriers inside a helper, called twice, and inside a uniform branch.
// launch: block=32 grid=2
// arg: in=i32[64]:random
// arg: n=i32 3
// arg: out=i32[64]
#pragma OPENCL FP_CONTRACT OFF

int rotate_in_group(local int *t, int v, uint by) {
    uint l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    return t[(l + by) % 32];
}
kernel void helpers(global const int *in, int n, global int *out) {
    local int t[32];
    int v = in[get_global_id(0)];
    v = rotate_in_group(t, v, 1);
    if (n > 2) v ^= rotate_in_group(t, v, 7);
    for (int k = 0; k < n; k++) v = rotate_in_group(t, v, (uint)k) | k;
    out[get_global_id(0)] = v;
}
