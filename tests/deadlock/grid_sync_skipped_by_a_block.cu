// One block returns without the grid's barrier.
// lockstep: run --block 32 --grid 3 --arg 'out=i32[96]'
#include <cooperative_groups.h>

__global__ void k(int *out) {
    if (blockIdx.x == 1)
        return;
    cooperative_groups::this_grid().sync(); //~ deadlock
    out[blockIdx.x * 32 + threadIdx.x] = 1;
}
