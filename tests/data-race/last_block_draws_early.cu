// The first thread draws while others of its block still write.
// lockstep: check --block 64 --grid 4
__global__ void total(const float *in, float *part, float *out, unsigned *arrived) {
    __shared__ bool last;
    part[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];  //~ data-race
    __threadfence();
    if (threadIdx.x == 0) last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float all = 0;
        for (int i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) all += part[i];  //~ data-race
        out[threadIdx.x] = all;
    }
}
