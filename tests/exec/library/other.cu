#include "shared.h"
__device__ int offset;
static __device__ int local = 100;
__global__ void add(int *out) { out[threadIdx.x] += local; }
void set_offset(int to) { cudaMemcpyToSymbol(offset, &to, sizeof to); }
void other_launch(int *out) { add<<<1, 4>>>(out); }
