// cuda::pipeline: of a thread that copies for itself, of a block whose threads all copy, and of one whose last warp does.
// lockstep: run --block 96 --grid 1 --arg 'out=i32[96]' --arg 'in=i32[512]:iota'
#include <assert.h>
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

constexpr int STAGES = 2, ROUNDS = 4;

__device__ void alone(int *own, const int *in) {
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    for (int i = 0; i < ROUNDS + STAGES - 1; ++i) {
        if (i < ROUNDS) {
            pipe.producer_acquire();
            cuda::memcpy_async(own + i % STAGES, in + 96 * i + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        if (i >= STAGES - 1) {
            pipe.consumer_wait();
            sum += own[(i + 1) % STAGES];
            pipe.consumer_release();
        }
    }
    assert(sum == 96 * 6 + 4 * threadIdx.x);
}

__device__ int together(int (*tile)[96], const int *in) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tile[i % STAGES], in + 96 * i, cuda::aligned_size_t<4>(sizeof(int) * 96), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += tile[i % STAGES][95 - threadIdx.x];
        pipe.consumer_release();
    }
    return sum;
}

__device__ int by_one_warp(int (*tile)[64], const int *in) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    bool copies = threadIdx.x >= 64;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    int sum = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        if (copies) {
            pipe.producer_acquire();
            for (int j = threadIdx.x - 64; j < 64; j += 32) cuda::memcpy_async(tile[i % STAGES] + j, in + 64 * i + j, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += tile[i % STAGES][63 - threadIdx.x];
            pipe.consumer_release();
        }
    }
    return sum;
}

__global__ void stages(int *out, const int *in) {
    __shared__ int own[96][STAGES], all[STAGES][96], some[STAGES][64];
    int t = threadIdx.x;
    alone(own[t], in);
    int sum = together(all, in);
    assert(sum == 96 * 6 + 4 * (95 - t));
    int other = by_one_warp(some, in);
    assert(t >= 64 || other == 64 * 6 + 4 * (63 - t));
    out[t] = sum;
}
