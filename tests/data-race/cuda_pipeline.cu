// A pipeline of a block: a stage is filled again before all consumers have released it, and a stage is read before the
// copies into it were waited for.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg 'in=i32[256]:iota'
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void wrong_stage(int *out, const int *in) {
    __shared__ int tile[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 4; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(tile + t, in + 64 * i + t, sizeof(int), pipe); //~ data-race //~ missing-fence
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += tile[63 - t]; //~ data-race //~ missing-fence
        pipe.consumer_release();
    }
    out[t] = sum;
}
