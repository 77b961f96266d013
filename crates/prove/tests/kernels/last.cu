// --block 64 --grid 4
// The last block, by a number drawn: what it does comes after what all others did before they drew theirs.

#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
#define HEAD const float *in, float *partial, float *out, unsigned *c
__device__ unsigned count;
__device__ unsigned rows[64];
__device__ float sum(const float *partial, int n) {
    float r = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) r += partial[i];
    return r;
}

__global__ void clean_sample(const float *in, float *partial, float *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    if (threadIdx.x == 0) {
        unsigned t = atomicInc(&count, gridDim.x);
        last = (t == gridDim.x - 1);
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
        if (threadIdx.x == 0) count = 0;
    }
}
__global__ void clean_wrap(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicInc(c, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    float r = sum(partial, gridDim.x);
    out[threadIdx.x] = r;
}
__global__ void clean_register(const float *in, float *partial, float *out, int *c) {
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        int t = atomicAdd(c, 1);
        if (t == gridDim.x - 1) {
            __threadfence();
            float r = 0;
            for (int i = 0; i < gridDim.x; i++) r += partial[i];
            *out = r;
            *c = 0;
        }
    }
}
__global__ void clean_vote(HEAD) {
    bool mine = false;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        mine = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    if (__syncthreads_or(mine)) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void clean_vote_number(HEAD) {
    unsigned t = 0;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        t = atomicAdd(c, 1u);
    }
    int last = __syncthreads_or(t == gridDim.x - 1);
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void clean_groups(HEAD) {
    cg::thread_block b = cg::this_thread_block();
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    b.sync();
    if (b.thread_rank() == 0) {
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    b.sync();
    if (last) {
        float r = sum(partial, gridDim.x * blockDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void clean_all_write_drawer_fences(HEAD) {
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x * blockDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void clean_all_write_all_fence(HEAD) {
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(c, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float r = sum(partial, gridDim.x * blockDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void clean_ticket_in_shared(HEAD) {
    __shared__ unsigned t;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        t = atomicAdd(c, 1u);
    }
    __syncthreads();
    if (t + 1 == gridDim.x) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_no_fence(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_block_fence(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence_block();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_fence_before_write(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        partial[blockIdx.x] = in[blockIdx.x];
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_fence_sometimes(HEAD, int f) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        if (f) __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_fence_after(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        last = atomicAdd(c, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_count_less(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 2;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_count_first(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == 0;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_count_most(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) >= gridDim.x - 2;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_all_write_no_barrier(HEAD) {
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __threadfence();
    if (threadIdx.x == 0) last = atomicAdd(c, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float r = sum(partial, gridDim.x * blockDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_all_write_no_fence(HEAD) {
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(c, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float r = sum(partial, gridDim.x * blockDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_all_draw(HEAD) {
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __threadfence();
    __syncthreads();
    unsigned t = atomicAdd(c, 1u);
    if (threadIdx.x == 0) last = t == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        float r = sum(partial, gridDim.x * blockDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_two_draw(HEAD) {
    __shared__ bool last;
    if (threadIdx.x < 2) {
        partial[blockIdx.x * 2 + threadIdx.x] = in[blockIdx.x];
        __threadfence();
        unsigned t = atomicAdd(c, 1u);
        if (threadIdx.x == 0) last = t == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x * 2);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_loop(HEAD, int n) {
    __shared__ bool last;
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0) {
            partial[blockIdx.x] = in[blockIdx.x + k];
            __threadfence();
            last = atomicAdd(c, 1u) == gridDim.x - 1;
        }
        __syncthreads();
        if (last) {
            float r = sum(partial, gridDim.x);
            out[threadIdx.x] = r;
        }
        __syncthreads();
    }
}
__global__ void maybe_write_after_draw(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        last = atomicAdd(c, 1u) == gridDim.x - 1;
        __threadfence();
        partial[blockIdx.x] = in[blockIdx.x];
    }
    __syncthreads();
    if (last) {
        __threadfence();
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_write_again(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    } else if (threadIdx.x == 0) partial[blockIdx.x] = 0;
}
__global__ void maybe_reads_without_last(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last || threadIdx.x == 3) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x + blockIdx.x * blockDim.x] = r;
    }
}
__global__ void maybe_not_last(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) != gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x + blockIdx.x * blockDim.x] = r;
    }
}
__global__ void maybe_counter_touched(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 1) atomicAdd(c, 1u);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_counter_reset_first(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) *c = 0;
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_counter_reset_by_all(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
    if (threadIdx.x == 0) *c = 0;
}
__global__ void maybe_counter_exchanged(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(c, gridDim.x - 1);
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_counter_of_block(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c + blockIdx.x, 1u) == 0;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_folded(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(&rows[blockIdx.x / 4], 1u) == gridDim.x / 4 - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[(blockIdx.x / 4) * blockDim.x + threadIdx.x] = r;
    }
}
__global__ void maybe_inc_wraps_early(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicInc(c, gridDim.x - 2) == gridDim.x - 2;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_inc_of_three(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicInc(c, 2) == 2;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_adds_two(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 2u) >= gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_no_barrier_after(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_guessed(HEAD, int which) {
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        atomicAdd(c, 1u);
    }
    __syncthreads();
    if (blockIdx.x == which) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_some_blocks_draw_twice(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        if (blockIdx.x & 1) atomicAdd(c, 1u);
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_block_scope(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd_block(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_other_thread_reads(HEAD) {
    __shared__ unsigned t;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        t = atomicAdd(c, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 1) t = gridDim.x - 1;
    __syncthreads();
    if (t == gridDim.x - 1) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x + blockIdx.x * blockDim.x] = r;
    }
}
__global__ void maybe_other_thread_writes(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 1) partial[blockIdx.x] = in[blockIdx.x];
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_writer_leaves(HEAD) {
    __shared__ bool last;
    partial[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x > 7) return;
    __threadfence();
    if (threadIdx.x == 0) last = atomicAdd(c, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        float r = sum(partial, gridDim.x * blockDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_draw_before_write(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    partial[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (last) {
        __threadfence();
        float r = sum(partial, gridDim.x * blockDim.x);
        out[threadIdx.x] = r;
    }
}
__global__ void maybe_fence_of_others(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0)
        partial[blockIdx.x] = in[blockIdx.x];
    else
        __threadfence();
    if (threadIdx.x == 0) last = atomicAdd(c, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) out[threadIdx.x] = sum(partial, gridDim.x);
}
__global__ void maybe_reads_counter(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        atomicAdd(c, 1u);
        __threadfence();
        last = *c == gridDim.x;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = sum(partial, gridDim.x);
}
// Not all blocks draw, and those that do not leave what others left in shared memory.
__global__ void maybe_not_all_draw(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0 && in[blockIdx.x] > 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = sum(partial, gridDim.x);
}
// Nor do these, but then nobody is last.
__global__ void clean_not_all_draw(HEAD) {
    if (threadIdx.x == 0 && in[blockIdx.x] > 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        if (atomicAdd(c, 1u) == gridDim.x - 1) {
            __threadfence();
            for (int i = 0; i < gridDim.x; ++i) out[i] = partial[i];
        }
    }
}
__global__ void maybe_no_fence_behind(HEAD) {
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        if (atomicAdd(c, 1u) == gridDim.x - 1)
            for (int i = 0; i < gridDim.x; ++i) out[i] = partial[i];
    }
}
// The vote of threads that have not drawn.
__global__ void maybe_vote_of_all(HEAD) {
    bool mine = true;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        mine = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    if (__syncthreads_or(mine)) out[blockIdx.x * 64 + threadIdx.x] = sum(partial, gridDim.x);
}
// Two stages, each with a counter of its own.
__global__ void clean_two_stages(HEAD, unsigned *d) {
    __shared__ bool last, also;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) out[0] = partial[1];
    if (threadIdx.x == 0) {
        __threadfence();
        also = atomicAdd(d, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (also && threadIdx.x == 0) out[0] = out[0] + 1;
}
// Orders of the draw itself.
typedef cuda::atomic_ref<unsigned, cuda::thread_scope_device> Counter;
__global__ void clean_acquires_and_releases(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        last = Counter(*c).fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = sum(partial, gridDim.x);
}
__global__ void maybe_relaxed(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        last = Counter(*c).fetch_add(1, cuda::memory_order_relaxed) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = sum(partial, gridDim.x);
}
__global__ void maybe_only_acquires(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        last = Counter(*c).fetch_add(1, cuda::memory_order_acquire) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = sum(partial, gridDim.x);
}
__global__ void clean_counted_votes(HEAD) {
    bool mine = false;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        mine = atomicAdd(c, 1u) == gridDim.x - 1;
    }
    if (__syncthreads_count(mine) > 0) out[threadIdx.x] = sum(partial, gridDim.x);
}
// The counter is set so that the next block takes itself for the last.
__global__ void maybe_counter_set_ahead(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        unsigned t = atomicAdd(c, 1u);
        last = t == gridDim.x - 1;
        if (t == 1) *c = gridDim.x - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = sum(partial, gridDim.x);
}
__global__ void maybe_counts_to_a_parameter(HEAD, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(c, 1u) == n - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = sum(partial, gridDim.x);
}
__global__ void maybe_half_of_the_blocks_draw(HEAD) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = blockIdx.x % 2 == 0 && atomicAdd(c, 1u) == gridDim.x / 2 - 1;
    }
    __syncthreads();
    if (last) out[threadIdx.x] = sum(partial, gridDim.x);
}
