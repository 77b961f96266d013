// The barrier fences the wrong memory.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
kernel void k(global int *out) {
    local int s[64];
    int t = get_local_id(0);
    s[t] = t; //~ data-race
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[t] = s[63 - t]; //~ data-race
}
