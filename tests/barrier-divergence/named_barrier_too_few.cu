// Barrier 1 waits for 64 threads, but only one warp ever comes; an explicit count does not include
// threads that have returned.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    out[t] = t;
    if (t < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory"); //~ barrier-divergence
}
