// Each thread fences its own write before the barrier, and the first one draws for all behind it: clean.
// lockstep: check --block 64 --grid 4
__global__ void total(const float *in, float *part, float *out, unsigned *arrived) {
    __shared__ bool last;
    part[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float all = 0;
        for (int i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) all += part[i];
        out[threadIdx.x] = all;
    }
}
