// this_thread_block().sync() is __syncthreads: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
#include <cooperative_groups.h>

__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    cooperative_groups::this_thread_block().sync();
    out[t] = s[t ^ 32];
}
