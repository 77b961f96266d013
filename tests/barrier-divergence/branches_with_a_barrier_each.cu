// Both halves wait, but at different barriers.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    if (t < 32) {
        out[t] = 1;
        __syncthreads(); //~ barrier-divergence
    } else {
        out[t] = 2;
        __syncthreads(); //~ barrier-divergence
    }
}
