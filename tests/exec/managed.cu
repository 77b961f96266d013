// Memory that the host and the device both use: managed, pinned, registered, and managed variables.
#include <cstdio>
#include <cstdlib>

__managed__ int total = 3;

__global__ void sum(const int *a, const int *pinned, int *registered, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&total, a[i] + pinned[i]);
        registered[i] = a[i];
    }
}

int main() {
    const int n = 100;
    int *a, *pinned, *mapped;
    cudaMallocManaged(&a, n * sizeof(int));
    cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped);
    int *own = (int *)malloc(n * sizeof(int));
    cudaHostRegister(own, n * sizeof(int), cudaHostRegisterDefault);
    for (int i = 0; i < n; ++i) a[i] = i, pinned[i] = 1, own[i] = 0;
    total += 4;
    sum<<<1, 32>>>(a, pinned, own, n);
    cudaDeviceSynchronize();
    printf("%d %d\n", total, own[99]);
    cudaHostGetDevicePointer(&mapped, own, 0);
    a[0] = 1;
    sum<<<1, 32>>>(a, pinned, mapped, 1);
    cudaDeviceSynchronize();
    printf("%d %d\n", total, own[0]);
    cudaHostUnregister(own);
    free(own);
    cudaFreeHost(pinned);
    cudaFree(a);
}
