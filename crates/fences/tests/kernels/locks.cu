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

// Who leaves lets the owner of the next ticket in.
__global__ void array_lock(int *next, volatile int *may_enter, int *shared_sum) {
    int ticket = atomicAdd(next, 1);
    while (ticket > 0 && may_enter[ticket] == 0) {
    }
    ACQUIRE; // acquire
    *shared_sum += 1;
    RELEASE; // release
    may_enter[ticket + 1] = 1;
    MORE; // more
}

// -1 while somebody writes, else the number of those who read.
__global__ void reader_and_writer(int *lock, int *data, int *out) {
    if (blockIdx.x == 0) {
        while (atomicCAS(lock, 0, -1) != 0) {
        }
        ACQUIRE; // acquire
        data[0] = 42;
        RELEASE; // release
        atomicExch(lock, 0);
    } else {
        bool entered = false;
        while (!entered) {
            int readers = atomicAdd(lock, 0);
            entered = readers >= 0 && atomicCAS(lock, readers, readers + 1) == readers;
        }
        ACQUIRE; // acquire
        out[0] = data[0];
        RELEASE; // release
        atomicSub(lock, 1);
        MORE; // more
    }
}
