// Text of kernels stands where it was printed; an assertion fails, and the runtime says so from then on.
#include <assert.h>
#include <cstdio>

__global__ void hello(int n) { printf("thread %d of %s\n", threadIdx.x, n > 1 ? "several" : "one"); }
__global__ void check(int limit) { assert((int)threadIdx.x < limit); }

int main() {
    printf("before\n");
    hello<<<1, 2>>>(2);
    cudaDeviceSynchronize();
    printf("after\n");
    check<<<1, 8>>>(8);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    check<<<1, 8>>>(5);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    hello<<<1, 1>>>(1);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 3;
}
