// The host says how large the arrays are that it gives the kernels: what is beyond their ends is outside.
#include <stdlib.h>

__global__ void next(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i + 1]; //~ out-of-bounds
}

__global__ void fill(float *all, int n, float value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) all[i] = value; //~ out-of-bounds
}

__global__ void shift(int *all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) all[i - 1] = i; //~ out-of-bounds
}

// By the grid alone.
__global__ void ahead(int *all) {
    all[blockIdx.x * blockDim.x + threadIdx.x + 1] = 1; //~ out-of-bounds
}

// Right with the arrays that the others have.
__global__ void scale(float *all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) all[i] *= 2.0f;
}

// The first of every four.
__global__ void fours(float4 *all, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) all[i].x = 0.0f;
}

// All constants: the last two blocks are too many.
__global__ void constants(float *all) {
    all[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; //~ out-of-bounds
}

static float *make(int n) {
    float *made = 0;
    if (cudaMalloc((void **)&made, n * sizeof(float)) != cudaSuccess) exit(1);
    return made;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    float *host = (float *)malloc(n * sizeof(float));
    if (!host) return 1;
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + 255) / 256, 256>>>(a, n);
    for (int round = 0; round < 10; round++) next<<<(n + 255) / 256, 256>>>(a, b, n);
    fill<<<n / 256 + 1, 256>>>(make(n), n, 1.5f);
    fours<<<(n / 4 + 255) / 256, 256>>>((float4 *)b, n);
    cudaFree(a);
    cudaMalloc(&a, 1000 * sizeof(float));
    constants<<<6, 256>>>(a);
}

void others(int n, int blocks) {
    if (n < 300) return;
    int *all;
    cudaMallocManaged(&all, n * sizeof(int));
    shift<<<(n + 255) / 256, 256>>>(all, n);
    cudaFree(all);
    cudaMallocAsync(&all, blocks * 256 * sizeof(int), 0);
    ahead<<<blocks, 256>>>(all);
}
