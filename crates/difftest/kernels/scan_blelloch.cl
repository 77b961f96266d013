// An exclusive scan, up and down the tree.
// launch: block=32 grid=2
// arg: in=u32[128]:random
// arg: out=u32[128]
#pragma OPENCL FP_CONTRACT OFF

kernel void scan(global const uint *in, global uint *out) {
    local uint t[64];
    uint l = get_local_id(0), base = 64 * get_group_id(0), step = 1;
    t[2 * l] = in[base + 2 * l];
    t[2 * l + 1] = in[base + 2 * l + 1];
    for (uint d = 32; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) t[step * (2 * l + 2) - 1] += t[step * (2 * l + 1) - 1];
        step *= 2;
    }
    if (l == 0) t[63] = 0;
    for (uint d = 1; d < 64; d *= 2) {
        step >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            uint a = step * (2 * l + 1) - 1, b = step * (2 * l + 2) - 1, v = t[a];
            t[a] = t[b];
            t[b] += v;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * l] = t[2 * l];
    out[base + 2 * l + 1] = t[2 * l + 1];
}
