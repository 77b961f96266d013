// And here it is not: clean.
// lockstep: run --block 16 --grid 2 --arg 'in=f32[32]:iota' --arg 'out=f32[32]'
kernel void k(global const float *in, global float *out) {
    local float s[18];
    int t = get_local_id(0), i = get_global_id(0), n = get_global_size(0);
    s[t + 1] = in[i];
    if (t == 0)
        s[0] = i > 0 ? in[i - 1] : 0.0f;
    if (t == 15)
        s[17] = i < n - 1 ? in[i + 1] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s[t] + s[t + 1] + s[t + 2];
}
