// Counts the values of an array, twice. Two things are wrong; look at the report of `lockstep exec`.
#include <cstdio>
#include <vector>

__global__ void count(const int *values, int n, int *bins) {
    __shared__ int own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&own[values[i] % 16], 1);
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

int main() {
    const int n = 200;
    std::vector<int> values(n), bins(16);
    for (int i = 0; i < n; ++i) values[i] = 7 * i;
    int *device_values, *device_bins;
    cudaMalloc(&device_values, n * sizeof(int));
    cudaMalloc(&device_bins, 16);
    cudaMemset(device_bins, 0, 16 * sizeof(int));
    cudaMemcpy(device_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    count<<<2, 128>>>(device_values, n, device_bins);
    cudaMemcpy(bins.data(), device_bins, 16, cudaMemcpyDeviceToHost);
    printf("%d values end with 0\n", bins[0]);
    cudaFree(device_values);
    cudaFree(device_bins);
}
