// Items go from block to block.
#include "marked_fences.h"

__global__ void one_producer(int *items, volatile int *tail, int *out) {
    if (blockIdx.x == 0) {
        for (int i = 0; i < 2; ++i) {
            items[i] = 10 + i;
            RELEASE; // release
            *tail = i + 1;
        }
        MORE; // more
    } else if (blockIdx.x == 1) {
        for (int i = 0; i < 2; ++i) {
            while (*tail <= i) {
            }
            ACQUIRE; // acquire
            out[i] = items[i];
        }
    }
}

__global__ void slots(int *items, int *full, int *tail, int *out) {
    int slot = atomicAdd(tail, 1);
    items[slot] = 100 + blockIdx.x;
    RELEASE; // release
    atomicExch(&full[slot], 1);
    MORE; // more
    if (blockIdx.x == 0) {
        while (atomicAdd(&full[0], 0) == 0) {
        }
        ACQUIRE; // acquire
        out[0] = items[0];
    }
}
