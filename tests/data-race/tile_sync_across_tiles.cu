// A tile of 16 synchronises, but the data comes from the neighbouring tile of the same warp.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(int *out) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t; //~ data-race
    tile.sync();
    out[t] = s[t ^ 16]; //~ data-race
}
