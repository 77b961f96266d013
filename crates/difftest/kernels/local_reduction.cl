// A tree reduction in local memory, one sum for each group.
// launch: block=128 grid=4
// arg: in=i32[512]:random
// arg: out=i32[4]
#pragma OPENCL FP_CONTRACT OFF

kernel void reduce(global const int *in, global int *out) {
    local int s[128];
    uint l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = get_local_size(0) / 2; n > 0; n /= 2) {
        if (l < n) s[l] = (int)((uint)s[l] + (uint)s[l + n]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = s[0];
}
