// The programs that the paper on Bugaroo looks at (Islam and Muzahid: Exposing Memory Model Bugs in Many-core Systems, tables
// I and IV), written anew and small. ACQUIRE is the fence of who reads; all else the paper counts.
#include "marked_fences.h"
// The three fences of the scan: in the barrier of the grid, behind the inclusive sum, behind the sum of a tile alone.
#ifndef BARRIER_FENCE
#define BARRIER_FENCE RELEASE
#endif
#ifndef INCLUSIVE_FENCE
#define INCLUSIVE_FENCE RELEASE
#endif
#ifndef PARTIAL_FENCE
#define PARTIAL_FENCE RELEASE
#endif

__device__ int mutex = 0;

// cbe_dot: each block adds its part of a dot product under a lock.
__global__ void dot(const float *x, const float *y, float *c) {
    __shared__ float cache[2];
    float sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 8; i += gridDim.x * blockDim.x)
        sum += x[i] * y[i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0) {
        }
        ACQUIRE; // acquire
        *c += cache[0];
        RELEASE; // release
        atomicExch(&mutex, 0);
        MORE; // more
    }
}

// ct_octree: a block pushes tasks to the tail of its queue, and others steal them from the head.
__global__ void push(int *tasks, volatile int *tail, int *head, const int *in, int *out) {
    if (blockIdx.x == 0) {
        for (int i = 0; i < 2; ++i) {
            tasks[i] = in[i] + 1;
            RELEASE; // release
            *tail = i + 1;
        }
        MORE; // more
    } else {
        int first = atomicAdd(head, 0);
        while (first < 2) {
            if (*tail > first) {
                ACQUIRE; // acquire
                int task = tasks[first];
                if (atomicCAS(head, first, first + 1) == first)
                    out[first] = task;
            }
            first = atomicAdd(head, 0);
        }
    }
}

__device__ unsigned finished = 0;

// sdk_red: the last block to take a ticket adds up the sums of all blocks.
__global__ void reduce(const float *numbers, float *partial, float *out) {
    __shared__ float cache[2];
    __shared__ bool last;
    cache[threadIdx.x] = numbers[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (unsigned i = 0; i < blockDim.x; ++i)
            sum += cache[i];
        partial[blockIdx.x] = sum;
    }
    RELEASE; // release
    if (threadIdx.x == 0) {
        last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
        ACQUIRE; // acquire
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; ++i)
            sum += partial[i];
        *out = sum;
    }
    MORE; // more
}

// cub_scan: blocks clear the states that an earlier launch has left, meet, and look back at the sums of those before them.
// States of a tile: 0 nothing is known, 1 its own sum, 2 the sum of all up to it. The second fence of a block also orders what
// follows behind the meeting.
__global__ void scan(volatile int *arrived, volatile int *go, volatile int *state, int *sum, int *prefix,
                     const int *in, int *out) {
    int tile = blockIdx.x;
    state[(tile + 1) % gridDim.x] = 0;
    BARRIER_FENCE; // release
    if (tile > 0) {
        arrived[tile] = 1;
        while (*go == 0) {
        }
    } else {
        for (unsigned i = 1; i < gridDim.x; ++i)
            while (arrived[i] == 0) {
            }
        ACQUIRE; // acquire
        *go = 1;
    }
    int own = in[tile] + 1;
    int before = 0;
    if (tile > 0) {
        sum[tile] = own;
        PARTIAL_FENCE; // release
        state[tile] = 1;
        for (int i = tile - 1; i >= 0; --i) {
            int known;
            do
                known = state[i];
            while (known == 0);
            ACQUIRE; // acquire
            if (known == 2) {
                before += prefix[i];
                break;
            }
            before += sum[i];
        }
    }
    prefix[tile] = before + own;
    INCLUSIVE_FENCE; // release
    state[tile] = 2;
    MORE; // more
    out[tile] = before;
}

// A scan whose state and sum are one word: no fence is needed.
__global__ void packed_scan(volatile unsigned long long *word, int *out) {
    int tile = blockIdx.x;
    unsigned before = 0;
    if (tile > 0) {
        unsigned long long seen;
        do
            seen = word[tile - 1];
        while (seen >> 32 == 0);
        before = (unsigned)seen;
    }
    MORE; // more
    word[tile] = 1ull << 32 | (before + 1);
    if (before != tile)
        __assert_fail("before", "published.cu", 1, "packed_scan");
    out[tile] = before;
}

// kmeans: each point goes to the nearest of two centres.
__global__ void kmeans(const float *points, const float *centres, int *nearest) {
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    int best = 0;
    float least = 3.4e38f;
    for (int c = 0; c < 2; ++c) {
        float distance = 0;
        for (int d = 0; d < 2; ++d) {
            float far = points[2 * me + d] - centres[2 * c + d];
            distance += far * far;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[me] = best;
}

// streamcluster: what each point would gain from another centre, and whether it would change.
__global__ void streamcluster(const float *points, const float *cost, const float *centre, float *lower, int *changes) {
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    float distance = 0;
    for (int d = 0; d < 2; ++d) {
        float far = points[2 * me + d] - centre[d];
        distance += far * far;
    }
    lower[me] = 0;
    if (distance < cost[me]) {
        changes[me] = 1;
        lower[me] = cost[me] - distance;
    }
}

// hotspot: temperatures flow to the neighbours in the tile of a block, step by step.
__global__ void hotspot(const float *heat, const float *power, float *out) {
    __shared__ float now[2];
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    now[threadIdx.x] = heat[me];
    __syncthreads();
    for (int step = 0; step < 2; ++step) {
        unsigned other = blockDim.x - 1 - threadIdx.x;
        float next = now[threadIdx.x] + 0.25f * (now[other] - now[threadIdx.x]) + power[me];
        __syncthreads();
        now[threadIdx.x] = next;
        __syncthreads();
    }
    out[me] = now[threadIdx.x];
}
