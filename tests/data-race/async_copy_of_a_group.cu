// A barrier of the group is no wait for its copy, and neither is one that leaves the newest copy out.
// lockstep: run --block 64 --grid 1 --arg 'out=f32[64]' --arg 'in=f32[64]:iota'
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void group(float *out, const float *in) {
    __shared__ float s[64], u[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof(s)); //~ data-race
    block.sync();
    float a = s[63 - threadIdx.x]; //~ data-race
    cg::wait(block);
    a += s[threadIdx.x ^ 1];
    cg::memcpy_async(block, u, in, sizeof(u)); //~ data-race
    cg::wait_prior<1>(block);
    out[threadIdx.x] = a + u[63 - threadIdx.x]; //~ data-race
}
