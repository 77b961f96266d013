// Both flags, both memories: clean.
// lockstep: run --block 64 --grid 1 --arg 'a=i32[64]' --arg 'out=i32[64]'
kernel void k(global int *a, global int *out) {
    local int s[64];
    int t = get_local_id(0);
    a[t] = t;
    s[t] = 2 * t;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[t] = a[63 - t] + s[t ^ 1];
}
