// Two threads of the host, one after the other, launch into the default stream, and neither waits for its kernel.
#include <cstdio>
#include <thread>

__global__ void add(int *a, int value) { a[threadIdx.x] += value; }

int main() {
    int host[64], *a;
    cudaMalloc(&a, sizeof(host));
    cudaMemset(a, 0, sizeof(host));
    cudaDeviceSynchronize();
    std::thread([&] { add<<<1, 64>>>(a, 1); }).join();
    std::thread([&] { add<<<1, 64>>>(a, 2); }).join();
    cudaDeviceSynchronize();
    cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[63]);
    cudaFree(a);
}
