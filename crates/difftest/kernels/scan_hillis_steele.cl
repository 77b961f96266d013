// An inclusive scan with two buffers.
// launch: block=64 grid=2
// arg: in=u32[128]:random
// arg: out=u32[128]
#pragma OPENCL FP_CONTRACT OFF

kernel void scan(global const uint *in, global uint *out) {
    local uint t[2][64];
    uint l = get_local_id(0), from = 0;
    t[0][l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 64; d *= 2) {
        t[1 - from][l] = l >= d ? t[from][l] + t[from][l - d] : t[from][l];
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = t[from][l];
}
