// The grid's barrier orders blocks: clean.
// lockstep: run --block 32 --grid 4 --arg 'a=i32[128]' --arg 'out=i32[128]'
#include <cooperative_groups.h>

__global__ void k(int *a, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    cooperative_groups::this_grid().sync();
    out[i] = a[127 - i];
}
