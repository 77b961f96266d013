//--blockDim=32 --gridDim=2
// check chooses arguments that satisfy the precondition: clean.
#include <assert.h>

__global__ void k(int *a, int n) {
    __requires(n == 64);
    assert(n % 64 == 0);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
}
