// The halo of the tile is forgotten.
// lockstep: run --block 16 --grid 2 --arg 'in=f32[32]:iota' --arg 'out=f32[32]'
kernel void k(global const float *in, global float *out) {
    local float s[18];
    int t = get_local_id(0), i = get_global_id(0);
    s[t + 1] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s[t] + s[t + 1] + s[t + 2]; //~ uninitialised-read
}
