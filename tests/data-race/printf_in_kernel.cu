// printf neither races nor orders anything.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
#include <stdio.h>

__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t; //~ data-race
    if (t == 5)
        printf("thread %d of %d\n", t, blockDim.x);
    out[t] = s[t ^ 32]; //~ data-race
}
