// One block hands data to another, by a flag.
#include "marked_fences.h"

__global__ void by_atomics(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        data[0] = 42;
        RELEASE; // release
        atomicExch(flag, 1);
        MORE; // more
    } else if (blockIdx.x == 1) {
        while (atomicAdd(flag, 0) == 0) {
        }
        ACQUIRE; // acquire
        out[0] = data[0];
    }
}

__global__ void by_volatile(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        data[0] = 42;
        RELEASE; // release
        *flag = 1;
        MORE; // more
    } else if (blockIdx.x == 1) {
        while (*flag == 0) {
        }
        ACQUIRE; // acquire
        out[0] = data[0];
    }
}

// A state that nobody sets leads beyond an array.
__global__ void never_there(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        RELEASE; // release
        atomicExch(flag, 1);
    } else {
        int state;
        while ((state = atomicAdd(flag, 0)) == 0) {
        }
        ACQUIRE; // acquire
        if (state != 2)
            out[0] = *data;
        else
            out[-1] = 1;
    }
    MORE; // more
}
