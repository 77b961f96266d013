// lockstep: search
// The whole block waits, and nobody takes a row for a block of three axes.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void reverse(const int *in, int *out) {
    __shared__ int s[256];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    block.sync();
    out[blockIdx.x * blockDim.x + t] = s[block.size() - 1 - block.thread_rank()];
}
