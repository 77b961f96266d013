// One grid barrier orders the first exchange, but the second write races with the reads.
// lockstep: run --block 32 --grid 2 --arg 'a=i32[64]' --arg 'out=i32[64]'
#include <cooperative_groups.h>

__global__ void k(int *a, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    cooperative_groups::this_grid().sync();
    out[i] = a[63 - i]; //~ data-race
    a[i] = -i;          //~ data-race
}
