// Files whose device code is linked: a function, a variable and a kernel are used across files.
#include <cstdio>
#include "shared.h"

static __device__ int local = 1;  // one of its own in each file

__global__ void run(int *out) {
    out[threadIdx.x] = scaled(threadIdx.x) + local + offset;
}

int main() {
    int *out, host[4];
    cudaMalloc(&out, sizeof host);
    set_offset(1000);
    int start = five(cudaGetLastError());
    cudaMemcpyToSymbol(local, &start, sizeof start);
    run<<<1, 4>>>(out);
    other_launch(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[3]);
    cudaFree(out);
    return 0;
}
