#include <cstdio>
#include <cstdlib>

__global__ void square(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i * i;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    int *a, last;
    cudaMalloc(&a, n * sizeof(int));
    square<<<(n + 63) / 64, 64>>>(a, n);
    cudaMemcpy(&last, a + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    cudaFree(a);
}
