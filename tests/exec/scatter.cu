// Atomic additions to a thousand counters by every thread: nobody asks in which order. Then a flag hands over data with a
// fence, after all of them.
#include <cstdio>

__global__ void scatter(unsigned *counters, int *data, int *flag, int *out, int rounds) {
    unsigned seed = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < rounds; ++i) {
        seed = seed * 1664525u + 1013904223u;
        atomicAdd(&counters[seed >> 22], 1u);
    }
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else if (blockIdx.x == 1) {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        *out = *data;
    }
}

int main() {
    unsigned *counters, host[1024], sum = 0;
    int *cells, out;
    cudaMalloc(&counters, sizeof(host));
    cudaMalloc(&cells, 3 * sizeof(int));
    cudaMemset(counters, 0, sizeof(host));
    cudaMemset(cells, 0, 3 * sizeof(int));
    scatter<<<64, 256>>>(counters, cells, cells + 1, cells + 2, 4);
    cudaMemcpy(host, counters, sizeof(host), cudaMemcpyDeviceToHost);
    cudaMemcpy(&out, cells + 2, sizeof(int), cudaMemcpyDeviceToHost);
    for (unsigned n : host) sum += n;
    printf("%u %d\n", sum, out);
    cudaFree(counters);
    cudaFree(cells);
}
