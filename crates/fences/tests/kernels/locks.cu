// Critical sections, with plain accesses inside.
#include "marked_fences.h"

__global__ void spin_lock(int *lock, int *shared_sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    ACQUIRE; // acquire
    *shared_sum += 1;
    RELEASE; // release
    atomicExch(lock, 0);
    MORE; // more
}

__global__ void backing_off(int *lock, int *shared_sum) {
    unsigned nanoseconds = 8;
    while (atomicCAS(lock, 0, 1) != 0) {
        __nanosleep(nanoseconds);
        if (nanoseconds < 64)
            nanoseconds *= 2;
    }
    ACQUIRE; // acquire
    *shared_sum += 1;
    RELEASE; // release
    atomicExch(lock, 0);
    MORE; // more
}

__global__ void ticket_lock(int *next, int *serving, int *shared_sum) {
    int ticket = atomicAdd(next, 1);
    while (atomicAdd(serving, 0) != ticket) {
    }
    ACQUIRE; // acquire
    *shared_sum += 1;
    RELEASE; // release
    atomicAdd(serving, 1);
    MORE; // more
}

__global__ void volatile_unlock(int *lock, float *shared_sum) {
    while (atomicExch(lock, 1) != 0) {
    }
    ACQUIRE; // acquire
    *shared_sum += 0.5f;
    RELEASE; // release
    *(volatile int *)lock = 0;
    MORE; // more
}

__global__ void semaphore(int *tokens, int *data, int *out) {
    if (blockIdx.x == 0) {
        data[0] = 7;
        RELEASE; // release
        atomicAdd(tokens, 1);
        MORE; // more
    } else if (blockIdx.x == 1) {
        bool taken = false;
        while (!taken) {
            int seen = atomicAdd(tokens, 0);
            taken = seen > 0 && atomicCAS(tokens, seen, seen - 1) == seen;
        }
        ACQUIRE; // acquire
        out[0] = data[0];
    }
}
