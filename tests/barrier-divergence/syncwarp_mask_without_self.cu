// Lane 0 waits with a mask that does not name it.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    out[t] = t;
    if (t == 0)
        __syncwarp(0xfffffffe); //~ barrier-divergence
}
