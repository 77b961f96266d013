// One launch is read, of a warp; the other's dimensions are in memory. The proof names the one it is of.
__global__ void reverse(int *out) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[blockIdx.x * blockDim.x + threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

void host(int *d) {
    reverse<<<4, 32>>>(d);
    cudaLaunchConfig_t how = {};
    how.gridDim = 4;
    how.blockDim = 64;
    void *arguments[] = {&d};
    cudaLaunchKernelExC(&how, (void *)reverse, arguments);
}
