// What is asserted of data protects what comes behind it.
// lockstep: check --block 32 --grid 1 --symbolic --arg idx=i32[32]:symbolic --arg out=i32[16] --arg n=16
#include <assert.h>

__global__ void asserted(const int *idx, int *out, int n) {
    int k = idx[threadIdx.x] & 31;
    assert(k < n); //~ assertion
    atomicAdd(&out[k], 1);
}

__global__ void masked(const int *idx, int *out, int n) {
    int k = idx[threadIdx.x] & 15;
    assert(k < n);
    atomicAdd(&out[k], 1);
}
