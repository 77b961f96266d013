// The bins are cleared by one warp and filled by both, with no barrier between.
// lockstep: run --block 64 --grid 1 --arg 'in=i32[64]:iota' --arg 'hist=i32[16]'
__global__ void k(const int *in, int *hist) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16)
        bins[t] = 0; //~ data-race
    atomicAdd(&bins[in[t] & 15], 1); //~ data-race
    __syncthreads();
    if (t < 16)
        hist[t] = bins[t];
}
