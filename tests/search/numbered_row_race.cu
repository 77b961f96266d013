// lockstep: search
// A group of a warp numbers its threads in a block of any shape; the kernel counts along one axis. What one warp writes,
// another reads, and only its own threads have waited for each other.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void reverse(const int *in, int *out) {
    __shared__ int s[256];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t]; //~ data-race
    warp.sync();
    out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t]; //~ data-race
}
