// One warp waits in the branch, the other one behind it.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    if (t < 32)
        __syncthreads(); //~ barrier-divergence
    out[t] = t;
    __syncthreads(); //~ barrier-divergence
    out[t] += 1;
}
