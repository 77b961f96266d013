// Only the last thread of the last block comes to it.
// lockstep: run --block 64 --grid 4 --arg 'out=i32[256]'
#include <assert.h>

__global__ void k(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
    if (i == 255)
        assert(!"reached"); //~ assertion
}
