// What the runtime does not allow.
#include <cstdio>

__device__ int variable[4];
__global__ void nothing() {}
__global__ void __launch_bounds__(64) bounded(int *a) { a[threadIdx.x] = 1; }

int main() {
    int host[16] = {}, *a, *b;
    cudaMalloc(&a, 10 * sizeof(int));
    cudaMalloc(&b, 16 * sizeof(int));
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);            // beyond the allocation
    cudaMemcpy(a, host, 10 * sizeof(int), cudaMemcpyDeviceToHost);       // the wrong direction
    cudaMemcpy(b + 20, host, sizeof(int), cudaMemcpyHostToDevice);       // outside
    cudaMemset(host, 0, sizeof host);                                    // memory of the host
    cudaMemcpyToSymbol(variable, host, sizeof host);                     // larger than the variable
    cudaFree(a + 1);                                                     // not the start
    cudaFree(host);                                                      // not the device's
    cudaFree(a);
    cudaFree(a);                                                         // twice
    cudaMemcpy(host, a, sizeof(int), cudaMemcpyDeviceToHost);            // freed
    nothing<<<1, 2048>>>();                                              // too many threads
    nothing<<<0, 32>>>();                                                // no blocks
    nothing<<<1, 32, 100 << 10>>>();                                     // too much shared memory
    bounded<<<1, 128>>>(b);                                              // beyond the launch bounds
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    nothing<<<1, 32, 0, stream>>>();                                     // released
    cudaEvent_t event;
    cudaEventCreate(&event);
    float ms;
    printf("%s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, event, event)));  // never recorded
    cudaEventDestroy(event);
    cudaEventDestroy(event);                                             // twice
    printf("%s\n", cudaGetErrorString(cudaSetDevice(1)));
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    // b is not freed: that is a note.
}
