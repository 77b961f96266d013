// A tile without room for the right halo.
// lockstep: run --block 16 --grid 1 --arg 'in=f32[18]:iota' --arg 'out=f32[16]'
kernel void k(global const float *in, global float *out) {
    local float s[17];
    int t = get_local_id(0);
    s[t] = in[t];
    if (t < 2)
        s[t + 16] = in[t + 16]; //~ out-of-bounds
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = s[t] + s[t + 1];
}
