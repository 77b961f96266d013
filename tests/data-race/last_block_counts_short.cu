// One block is still to come.
// lockstep: check --block 64 --grid 4
__device__ unsigned arrived;
__global__ void total(const float *in, float *part, float *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x];  //~ data-race
        __threadfence();
        last = atomicAdd(&arrived, 1) == gridDim.x - 2;
    }
    __syncthreads();
    if (last) {
        float all = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) all += part[i];  //~ data-race
        out[threadIdx.x] = all;
    }
}
