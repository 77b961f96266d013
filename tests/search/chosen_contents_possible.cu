// lockstep: search
// exit: 3
// Elements below 64 are bins; that others go beyond the shared array, the caller may exclude.
__global__ void count(const int *bin, int *out) {
    __shared__ int counts[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x) counts[i] = 0;
    __syncthreads();
    atomicAdd(&counts[bin[threadIdx.x & 31]], 1); //~ out-of-bounds
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&out[i], counts[i]);
}
