// lockstep: run --block 64 --grid 1 --arg 'a=i32[64]:iota'
#include <assert.h>

__global__ void k(const int *a) {
    assert(a[threadIdx.x] == threadIdx.x);
}
