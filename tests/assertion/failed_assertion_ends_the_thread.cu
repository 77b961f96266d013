// Behind a failed assertion nothing runs: the write out of bounds is never reached.
// lockstep: run --block 16 --grid 1 --arg 'a=i32[8]'
#include <assert.h>

__global__ void k(int *a) {
    assert(threadIdx.x < 8); //~ assertion
    a[threadIdx.x] = 1;
}
