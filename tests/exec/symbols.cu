// Variables of the device code: constant, global, with initial values, and one that is not reset between launches.
#include <cstdio>

__constant__ float weights[4];
__device__ int table[3] = {5, 6, 7};
__device__ unsigned counter;
__device__ int *buffer;

__global__ void apply(float *out) {
    int i = threadIdx.x;
    out[i] = weights[i % 4] + table[i % 3];
    buffer[i] = i;
    __threadfence();
    unsigned ticket = atomicAdd(&counter, 1);
    __threadfence();
    if (ticket == blockDim.x - 1) out[0] = -1;
}

int main() {
    float host[4] = {0.5f, 1.5f, 2.5f, 3.5f}, result[8];
    float *out;
    int *place;
    cudaMalloc(&out, sizeof result);
    cudaMalloc(&place, 8 * sizeof(int));
    cudaMemcpyToSymbol(weights, host, sizeof host);
    cudaMemcpyToSymbol(buffer, &place, sizeof place);
    int one = 70;
    cudaMemcpyToSymbol(table, &one, sizeof one, 2 * sizeof(int));
    for (int round = 0; round < 2; ++round) {
        apply<<<1, 8>>>(out);
        cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
        unsigned count;
        cudaMemcpyFromSymbol(&count, counter, sizeof count);
        printf("%g %g %g, %u\n", result[0], result[1], result[2], count);
    }
    void *address;
    size_t size;
    cudaGetSymbolAddress(&address, table);
    cudaGetSymbolSize(&size, table);
    int back[3];
    cudaMemcpy(back, address, size, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", back[0], back[1], back[2]);
    cudaFree(out);
    cudaFree(place);
}
