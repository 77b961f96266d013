// libcu++'s barrier in two halves: what is written before the arrival is ordered, what is written behind it is not.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg 'in=i32[64]:iota'
#include <cuda/barrier>
__global__ void halves(int *out, const int *in) {
    __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
    __shared__ int early[64], late[64];
    int t = threadIdx.x;
    if (t == 0) init(&meeting, blockDim.x);
    __syncthreads();
    early[t] = in[t];
    auto token = meeting.arrive();
    late[t] = in[t]; //~ data-race
    meeting.wait(static_cast<decltype(token) &&>(token));
    out[t] = early[63 - t] + late[63 - t]; //~ data-race
}
