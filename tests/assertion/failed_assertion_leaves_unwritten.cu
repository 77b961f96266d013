// What the first warp would have written is missing because of its assertion, which ends the whole launch.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
#include <assert.h>

__global__ void k(int *out) {
    __shared__ int s[2];
    if (threadIdx.x < 32) assert(blockDim.x < 64); //~ assertion
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = 1;
    __syncthreads();
    out[threadIdx.x] = s[0] + s[1];
}
