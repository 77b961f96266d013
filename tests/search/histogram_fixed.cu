// lockstep: search
// Counts in shared memory first; all additions are atomic. The barriers before and behind the counting are needed.
__global__ void histogram(const unsigned char *data, int *bins, int n) {
    __shared__ int count[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) count[k] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&count[data[i]], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&bins[k], count[k]);
}
