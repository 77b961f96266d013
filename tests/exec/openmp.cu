// Host code with OpenMP, whether its library is installed or not.
#include <cstdio>
#include <omp.h>

__global__ void twice(int *a) { a[threadIdx.x] *= 2; }

int main() {
    int values[64], sum = 0, *a;
#pragma omp parallel for
    for (int i = 0; i < 64; ++i) values[i] = i;
    double start = omp_get_wtime();
    cudaMalloc(&a, sizeof(values));
    cudaMemcpy(a, values, sizeof(values), cudaMemcpyHostToDevice);
    twice<<<1, 64>>>(a);
    cudaMemcpy(values, a, sizeof(values), cudaMemcpyDeviceToHost);
    cudaFree(a);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 64; ++i) sum += values[i];
    bool right = omp_get_thread_num() == 0 && omp_get_max_threads() >= 1 && omp_get_wtime() >= start;
    printf("%d %s\n", sum, right ? "right" : "WRONG");
}
