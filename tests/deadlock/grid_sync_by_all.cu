// All come, twice: clean.
// lockstep: run --block 32 --grid 3 --arg 'out=i32[96]'
#include <cooperative_groups.h>

__global__ void k(int *out) {
    auto grid = cooperative_groups::this_grid();
    grid.sync();
    out[grid.thread_rank()] = 1;
    grid.sync();
    out[95 - grid.thread_rank()] += 1;
}
