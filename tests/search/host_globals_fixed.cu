// lockstep: search
// How many threads there are is kept by the file: there are as many blocks, and the kernel is told.
#include <stdlib.h>

static int threads;

__global__ void fill_parts(int *out, int parts) {
    int length = (1 << 20) / parts;
    int begin = length * blockIdx.x;
    for (int i = begin; i < begin + length; i += blockDim.x) out[i + threadIdx.x] = threadIdx.x;
}

int main(int argc, char **argv) {
    int *out;
    threads = atoi(argv[1]);
    cudaMalloc(&out, (1 << 20) * sizeof(int));
    fill_parts<<<threads, threads>>>(out, threads);
}
