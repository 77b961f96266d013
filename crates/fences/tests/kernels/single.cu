// Kernels that are looked at one by one.
#include <cooperative_groups.h>

// Places are drawn from a counter: all are different.
__global__ void compaction(int *count, int *kept) {
    int place = atomicAdd(count, 1);
    kept[place] = blockIdx.x;
}

__global__ void histogram(int *bins) {
    bins[0] += 1;
}

// As in the programming guide: the read is checked by the compare-and-swap.
__global__ void add_double(unsigned long long *sum) {
    unsigned long long old = *sum, assumed;
    do {
        assumed = old;
        old = atomicCAS(sum, assumed,
                        __double_as_longlong(1.0 + __longlong_as_double(assumed)));
    } while (assumed != old);
}

__global__ void never_set(int *flag) {
    if (blockIdx.x == 1)
        while (atomicAdd(flag, 0) == 0) {
        }
}

__global__ void crossed_locks(int *a, int *b) {
    int *first = blockIdx.x == 0 ? a : b;
    int *second = blockIdx.x == 0 ? b : a;
    while (atomicCAS(first, 0, 1) != 0) {
    }
    while (atomicCAS(second, 0, 1) != 0) {
    }
    __threadfence();
    atomicExch(second, 0);
    atomicExch(first, 0);
}

// Nobody in the launch reads what is written.
__global__ void nobody_reads(int *out) {
    out[blockIdx.x] = 1;
    __threadfence();
    out[blockIdx.x + gridDim.x] = 2;
}

__global__ void before_barrier(int *out) {
    __shared__ int s[2];
    s[threadIdx.x] = threadIdx.x;
    __threadfence_block();
    __syncthreads();
    out[threadIdx.x] = s[1 - threadIdx.x];
}

// All accesses are volatile: no race, but what is read may be old.
__global__ void asserted(volatile int *data, volatile int *flag) {
    if (blockIdx.x == 0) {
        *data = 42;
#ifdef RIGHT
        __threadfence();
#endif
        // release
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
#ifdef RIGHT
        __threadfence();
#endif
        // acquire
        if (*data != 42)
            __assert_fail("data", "single.cu", 1, "asserted");
    }
}

// Peterson's lock for two blocks: fences have to be sequentially consistent.
__global__ void peterson(volatile int *wants, volatile int *turn, int *sum) {
    int me = blockIdx.x, other = 1 - me;
    wants[me] = 1;
#ifdef RIGHT
    __threadfence();
#endif
    // second
    *turn = other;
#ifdef RIGHT
    __threadfence();
#endif
    // third
    while (wants[other] == 1 && *turn == other) {
    }
    __threadfence();
    *sum += 1;
    __threadfence();
    wants[me] = 0;
}

// One lane draws places for its warp.
__global__ void warp_draws(int *count, int *kept) {
    int lane = threadIdx.x;
    int first = 0;
    if (lane == 0)
        first = atomicAdd(count, 2);
    first = __shfl_sync(0x3, first, 0);
    kept[first + lane] = blockIdx.x;
}

// A vote orders nothing.
__global__ void vote_only(int *out) {
    __shared__ int s[2];
    s[threadIdx.x] = 1;
    if (__any_sync(0x3, threadIdx.x == 0))
        out[threadIdx.x] = s[1 - threadIdx.x];
}

__global__ void warp_barrier(int *out) {
    __shared__ int s[2];
    s[threadIdx.x] = 1;
    __syncwarp(0x3);
    out[threadIdx.x] = s[1 - threadIdx.x];
}

// Four numbers are written at once and read one by one.
__global__ void vectors(int4 *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        data[0] = make_int4(1, 2, 3, 4);
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
#ifndef WRONG
        __threadfence();
#endif
        // acquire
        out[0] = ((int *)data)[2];
    }
}

// A few attempts, then none.
__global__ void tries(int *lock, int *sum) {
    for (int i = 0; i < 3; ++i)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *sum += 1;
            __threadfence();
            atomicExch(lock, 0);
            break;
        }
}

// A counter of turns that ends the kernel.
__global__ void gives_up(volatile int *flag, int *out) {
    int turns = 0;
    while (*flag == 0 && turns < 1000000)
        ++turns;
    out[blockIdx.x] = turns;
    *flag = 1;
}

__global__ void clocked(int *flag, int *out) {
    if (clock64() % 2 == 0)
        out[0] = atomicAdd(flag, 1);
}

struct Node {
    int value;
    Node *next;
};

__global__ void pointers(Node *nodes, Node **head, int *out) {
    if (blockIdx.x == 0) {
        nodes[0].value = 1;
        __threadfence();
        atomicExch((unsigned long long *)head, (unsigned long long)&nodes[0]);
    } else {
        Node *first;
        do
            first = (Node *)atomicAdd((unsigned long long *)head, 0ull);
        while (!first);
        __threadfence();
        out[0] = first->value;
    }
}

__global__ void half_words(unsigned *word, unsigned short *out) {
    if (blockIdx.x == 0)
        atomicAdd(word, 1u);
    else
        out[0] = ((volatile unsigned short *)word)[1];
}

// The value that decides is never written.
__global__ void unwritten(int *flag) {
    __shared__ int s[4];
    if (s[threadIdx.x] == 0)
        atomicAdd(flag, 1);
}

__global__ void whole_grid(int *part, int *out) {
#ifdef SKIPS
    if (blockIdx.x == 0)
        return;
#endif
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    part[me] = me;
    cooperative_groups::this_grid().sync();
    out[me] = part[(me + 1) % (gridDim.x * blockDim.x)];
}

// Most threads do work of their own, and meet at a barrier.
__global__ void some_of_many(volatile int *flag, int *data, int *own, int *out) {
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < 16)
        own[me] += 1;
    __syncthreads();
    if (threadIdx.x == 5 && blockIdx.x == 1) {
        *data = 42;
        __threadfence();
        *flag = 1;
    }
    if (threadIdx.x == 77 && blockIdx.x == 3) {
        while (*flag == 0) {
        }
#ifndef WRONG
        __threadfence();
#endif
        // acquire
        *out = *data;
    }
}

// The swap of the other thread fails, and so only reads.
__global__ void failed_swap(int *out) {
    __shared__ int slot;
    if (threadIdx.x == 0)
        slot = 7;
    __syncthreads();
    out[threadIdx.x] = atomicCAS(&slot, 3, 1) + slot;
}

// A lane that is not there gives nothing.
__global__ void absent_lane(int *out) {
    if (__shfl_sync(0xffffffff, (int)threadIdx.x, 7) == 0)
        out[0] = 1;
}

// A counter whose first read is only a guess, and then locks in crossed order: the guess does not hide the deadlock.
__global__ void guess_and_locks(int *a, int *b, int *count) {
    int old = *count, seen;
    do {
        seen = old;
        old = atomicCAS(count, seen, seen + 1);
    } while (old != seen);
    int *first = blockIdx.x == 0 ? a : b;
    int *second = blockIdx.x == 0 ? b : a;
    while (atomicCAS(first, 0, 1) != 0) {
    }
    while (atomicCAS(second, 0, 1) != 0) {
    }
    atomicExch(second, 0);
    atomicExch(first, 0);
}

// The first thread waits for the other one, which waits for it at the barrier of the block.
__global__ void two_barriers(int *count) {
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
#ifdef WARP
        __syncwarp(3);
#else
        asm volatile("bar.sync 1;" ::: "memory");
#endif
    }
    __syncthreads();
}

#ifndef ORDER
#define ORDER __ATOMIC_SEQ_CST
#endif

// A sequentially consistent operation is a fence, be its place one's own.
__global__ void own_place(int *own, int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __scoped_atomic_fetch_add(own, 1, ORDER, __MEMORY_SCOPE_DEVICE);
        // release
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        *out = *data;
    }
}

// Orders of atomic operations that update.
__global__ void ordered_updates(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        // release
        __scoped_atomic_fetch_add(flag, 1, ORDER, __MEMORY_SCOPE_DEVICE);
    } else {
        int one = 1;
        while (!__scoped_atomic_compare_exchange_n(flag, &one, 2, false, ORDER, __ATOMIC_RELAXED,
                                                   __MEMORY_SCOPE_DEVICE))
            one = 1; // acquire
        *out = *data;
    }
}
