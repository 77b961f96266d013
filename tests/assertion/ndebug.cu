// With NDEBUG there is no assertion: clean.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]' -DNDEBUG
#include <assert.h>

__global__ void k(int *out) {
    assert(threadIdx.x > 100);
    out[threadIdx.x] = 1;
}
