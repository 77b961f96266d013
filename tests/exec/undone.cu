// Blocks race, so that a parallel execution does not count: what it has written is undone, and nothing is counted twice.
#include <cstdio>

__global__ void step(int *a, char *small, int *cell) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += 1;
    a[i] *= 3;
    if (i < 7) small[i] += 1;
    atomicAdd(cell + 1, 1);
    if (threadIdx.x == 0) *cell = blockIdx.x;  // data-race
}

int main() {
    const int n = 64 * 128;
    static int host[n];
    int *a, *cell, cells[2];
    char *small, letters[8] = "aaaaaaa";
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&small, 7);
    cudaMalloc(&cell, sizeof cells);
    cudaMemset(a, 0, sizeof host);
    cudaMemset(cell, 0, sizeof cells);
    cudaMemcpy(small, letters, 7, cudaMemcpyHostToDevice);
    for (int round = 0; round < 3; ++round) step<<<64, 128>>>(a, small, cell);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(letters, small, 7, cudaMemcpyDeviceToHost);
    cudaMemcpy(cells, cell, sizeof cells, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += host[i] != 39;
    printf("%d wrong, %s, %d of %d\n", wrong, letters, cells[1], 3 * n);
    cudaFree(a);
    cudaFree(small);
    cudaFree(cell);
}
