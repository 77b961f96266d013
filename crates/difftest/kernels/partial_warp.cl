// A block that is no multiple of a warp, with exchange across its end.
// launch: block=45 grid=3
// arg: in=i32[135]:random
// arg: out=i32[135]
#pragma OPENCL FP_CONTRACT OFF

kernel void ragged(global const int *in, global int *out) {
    local int t[45];
    uint l = get_local_id(0);
    t[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int m = t[44 - l];
    if (l > 40) m += t[l - 40];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[(l * 7) % 45] = m;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l];
}
