// A histogram with local atomics, added to the global one with global atomics.
// launch: block=64 grid=4
// arg: in=u8[2048]:random
// arg: out=u32[32]
#pragma OPENCL FP_CONTRACT OFF

kernel void histogram(global const uchar *in, global uint *out) {
    local uint bins[32];
    uint l = get_local_id(0);
    if (l < 32) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < 2048; i += get_global_size(0)) atomic_inc(&bins[in[i] >> 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 32) atomic_add(&out[l], bins[l]);
}
