// The same tree in single precision: the order of additions is fixed.
// launch: block=64 grid=3
// arg: in=f32[192]:random
// arg: s=local f32[64]
// arg: out=f32[3]
#pragma OPENCL FP_CONTRACT OFF

kernel void reduce(global const float *in, local float *s, global float *out) {
    uint l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    for (uint n = 32; n > 0; n >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n) s[l] += s[l + n];
    }
    if (l == 0) out[get_group_id(0)] = s[0];
}
