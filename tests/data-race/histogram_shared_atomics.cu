// A histogram in shared memory, merged into global memory with atomics: clean.
// lockstep: run --block 64 --grid 4 --arg 'in=i32[256]:random' --arg 'hist=i32[16]'
__global__ void k(const int *in, int *hist) {
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * blockDim.x + t] & 15], 1);
    __syncthreads();
    if (t < 16)
        atomicAdd(&hist[t], bins[t]);
}
