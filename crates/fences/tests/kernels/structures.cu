// Data structures that blocks share.
#include "marked_fences.h"

// keys holds 0 where there is none yet.
__global__ void hash_table(int *keys, int *values, int *full, int *out) {
    int key = 7;
    if (blockIdx.x == 0) {
        int slot = key % 4;
        while (atomicCAS(&keys[slot], 0, key) != 0)
            slot = (slot + 1) % 4;
        values[slot] = 42;
        RELEASE; // release
        atomicExch(&full[slot], 1);
        MORE; // more
    } else if (blockIdx.x == 1) {
        int slot = key % 4;
        while (atomicAdd(&full[slot], 0) == 0) {
        }
        ACQUIRE; // acquire
        out[0] = values[slot];
    }
}

// Nodes are numbered from 1.
__global__ void list(int *head, int *next, int *value, int *out) {
    if (blockIdx.x == 0) {
        int me = 1;
        value[me] = 42;
        int old = 0;
        int seen;
        do {
            seen = old;
            next[me] = seen;
            RELEASE; // release
            old = atomicCAS(head, seen, me);
        } while (old != seen);
        MORE; // more
    } else if (blockIdx.x == 1) {
        int first = 0;
        while (first == 0)
            first = atomicAdd(head, 0);
        ACQUIRE; // acquire
        out[0] = value[first] + next[first];
    }
}

__global__ void once(int *begun, int *table, int *out) {
    if (atomicCAS(begun, 0, 1) == 0) {
        table[0] = 42;
        RELEASE; // release
        atomicExch(begun, 2);
        MORE; // more
    } else {
        while (atomicAdd(begun, 0) != 2) {
        }
        ACQUIRE; // acquire
        out[blockIdx.x] = table[0];
    }
}

__global__ void latch(int *left, int *part, int *out) {
    if (blockIdx.x > 0) {
        part[blockIdx.x] = blockIdx.x;
        RELEASE; // release
        atomicAdd(left, 1);
        MORE; // more
    } else {
        while (atomicAdd(left, 0) != gridDim.x - 1) {
        }
        ACQUIRE; // acquire
        for (unsigned i = 1; i < gridDim.x; ++i)
            out[i] = part[i];
    }
}

__global__ void ping_pong(volatile int *turn, int *ball) {
    for (int round = 0; round < 2; ++round) {
        while (*turn != 2 * round + blockIdx.x) {
        }
        ACQUIRE; // acquire
        *ball += 1;
        RELEASE; // release
        *turn = 2 * round + blockIdx.x + 1;
    }
    MORE; // more
}

// Room for one item.
__global__ void ring(volatile int *head, volatile int *tail, int *item, int *out) {
    for (int i = 0; i < 2; ++i) {
        if (blockIdx.x == 0) {
            while (*head != i) {
            }
            ACQUIRE; // acquire
            item[0] = 40 + i;
            RELEASE; // release
            *tail = i + 1;
        } else {
            while (*tail != i + 1) {
            }
            ACQUIRE; // acquire
            out[i] = item[0];
            RELEASE; // release
            *head = i + 1;
        }
    }
    MORE; // more
}

__global__ void dataflow(volatile int *ready, int *cell) {
    if (blockIdx.x > 0) {
        while (ready[blockIdx.x - 1] == 0) {
        }
        ACQUIRE; // acquire
        cell[blockIdx.x] = cell[blockIdx.x - 1] + 1;
    } else {
        cell[0] = 1;
    }
    RELEASE; // release
    ready[blockIdx.x] = 1;
    MORE; // more
}

__global__ void generations(unsigned *count, volatile unsigned *generation, int *part, int *out) {
    part[blockIdx.x] = blockIdx.x;
    unsigned mine = *generation;
    RELEASE; // release
    if (atomicInc(count, gridDim.x - 1) == gridDim.x - 1) {
        __threadfence();
        *generation = mine + 1;
    } else {
        while (*generation == mine) {
        }
    }
    ACQUIRE; // acquire
    out[blockIdx.x] = part[(blockIdx.x + 1) % gridDim.x];
    MORE; // more
}

__device__ unsigned finished = 0;

// The whole block is told by the barrier whether it is the last.
__global__ void told_by_barrier(int *partial, int *out) {
    bool last = false;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;
        RELEASE; // release
        last = atomicAdd(&finished, 1u) == gridDim.x - 1;
        ACQUIRE; // acquire
    }
    if (__syncthreads_or(last))
        out[threadIdx.x] = partial[0] + partial[1];
    MORE; // more
}

// A sequence lock: who reads sees an odd number, or another one afterwards, and reads again. All accesses are volatile.
__global__ void sequence_lock(volatile int *number, volatile int *data) {
    if (blockIdx.x == 0) {
        *number = 1;
        RELEASE; // release
        data[0] = 42;
        data[1] = 42;
        RELEASE; // release
        *number = 2;
        MORE; // more
    } else {
        int before, after, first, second;
        do {
            before = *number;
            ACQUIRE; // acquire
            first = data[0];
            second = data[1];
            ACQUIRE; // acquire
            after = *number;
        } while (before != after || before == 1);
        if (first != second)
            __assert_fail("first", "structures.cu", 1, "sequence_lock");
    }
}
