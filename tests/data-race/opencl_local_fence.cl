// The right flag for local memory: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
kernel void k(global int *out) {
    local int s[64];
    int t = get_local_id(0);
    s[t] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = s[63 - t];
}
