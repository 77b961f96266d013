// The place is where the assertion stands.
// lockstep: run --block 32 --grid 1 --arg 'a=i32[32]:iota' --arg n=31
#include <assert.h>

__device__ int checked(const int *a, int i, int n) {
    assert(i < n); //~ assertion
    return a[i];
}

__global__ void k(int *a, int n) {
    a[threadIdx.x] = checked(a, threadIdx.x, n);
}
