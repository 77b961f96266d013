// Global memory exchanged within a group across a barrier with the global flag.
// launch: block=64 grid=2
// arg: data=i32[128]:random
// arg: out=i32[128]
#pragma OPENCL FP_CONTRACT OFF

kernel void exchange(global int *data, global int *out) {
    size_t i = get_global_id(0), base = get_group_id(0) * 64;
    data[i] = data[i] * 2 + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = data[base + 63 - get_local_id(0)];
}
