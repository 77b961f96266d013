// What a thread writes after it has arrived, others may read before.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg 'in=i32[64]:iota'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void late(int *out, const int *in) {
    __shared__ int s[64], u[64];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    u[t] = in[t];
    auto token = block.barrier_arrive();
    s[t] = in[t]; //~ data-race
    block.barrier_wait(static_cast<decltype(token) &&>(token));
    out[t] = s[63 - t] + u[63 - t]; //~ data-race
}
