// A number of the command line may be anything; what is left of it in a byte may not.
#include <stdlib.h>

__global__ void next(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i + 1]; //~ out-of-bounds
}

// Right with arrays that have room for one more.
__global__ void pairs(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i] + from[i + 1];
}

// Right as long as there are no more than 255.
__global__ void few(int *all, int n) {
    if (threadIdx.x < n) all[threadIdx.x] = 1;
    if (threadIdx.x == 0 && n > 255) all[n] = 1;
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *from, *more, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&more, (n + 1) * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    next<<<(n + 255) / 256, 256>>>(from, to, n);
    pairs<<<(n + 255) / 256, 256>>>(more, to, n);
    unsigned char byte = atoi(argv[2]);
    int *all;
    cudaMalloc(&all, byte * sizeof(int));
    few<<<1, 256>>>(all, byte);
}
