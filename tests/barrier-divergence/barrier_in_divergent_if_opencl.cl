// The work-items that skip the barrier end without it.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
kernel void k(global int *out) {
    int t = get_local_id(0);
    if (t < 32) //~ barrier-divergence
        barrier(CLK_LOCAL_MEM_FENCE); //~ barrier-divergence
    out[t] = t;
}
