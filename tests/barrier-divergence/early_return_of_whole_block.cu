// The whole second block returns: clean.
// lockstep: run --block 64 --grid 2 --arg 'out=i32[64]' --arg n=64
__global__ void k(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (blockIdx.x * blockDim.x >= n)
        return;
    s[t] = t;
    __syncthreads();
    out[t] = s[63 - t];
}
