//--blockDim=64 --gridDim=2
#include "tile.h"

// Each thread of a block reads what its neighbour wrote, with no barrier between.
__global__ void shift(const float *in, float *out) {
    __shared__ float tile[64];
    int t = threadIdx.x;
    put(tile, t, in[blockIdx.x * 64 + t]);
    out[blockIdx.x * 64 + t] = tile[(t + 1) % 64];
}

__global__ void copy(const float *in, float *out) {
    out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
}
