// The barrier fences the wrong memory, the other way round.
// lockstep: run --block 64 --grid 1 --arg 'a=i32[64]' --arg 'out=i32[64]'
kernel void k(global int *a, global int *out) {
    int t = get_local_id(0);
    a[t] = t; //~ data-race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = a[63 - t]; //~ data-race
}
