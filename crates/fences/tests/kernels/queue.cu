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

// The place for an item says whose turn it is: to put it there, or to take it.
__global__ void sequenced(volatile int *turn, int *item, int *out) {
    for (int round = 0; round < 2; ++round) {
        if (blockIdx.x == 0) {
            while (*turn != 2 * round) {
            }
            ACQUIRE; // acquire
            item[0] = 40 + round;
            RELEASE; // release
            *turn = 2 * round + 1;
        } else {
            while (*turn != 2 * round + 1) {
            }
            ACQUIRE; // acquire
            out[round] = item[0];
            RELEASE; // release
            *turn = 2 * round + 2;
        }
    }
    MORE; // more
}

// The number of an item is put into a box, from which it is taken.
__global__ void mailbox(int *box, int *items, int *out) {
    if (blockIdx.x == 0) {
        items[3] = 42;
        RELEASE; // release
        atomicExch(box, 3);
        MORE; // more
    } else {
        int taken = 0;
        while (taken == 0)
            taken = atomicExch(box, 0);
        ACQUIRE; // acquire
        out[0] = items[taken];
    }
}
