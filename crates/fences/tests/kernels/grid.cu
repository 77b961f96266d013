// Blocks wait for each other.
#include "marked_fences.h"

__global__ void grid_barrier(int *arrived, int *part, int *out) {
    part[blockIdx.x] = blockIdx.x;
    RELEASE; // release
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {
    }
    ACQUIRE; // acquire
    out[blockIdx.x] = part[(blockIdx.x + 1) % gridDim.x];
    MORE; // more
}

__global__ void look_back(volatile int *ready, int *total, const int *in) {
    int before = 0;
    if (blockIdx.x > 0) {
        while (ready[blockIdx.x - 1] == 0) {
        }
        ACQUIRE; // acquire
        before = total[blockIdx.x - 1];
    }
    total[blockIdx.x] = before + in[blockIdx.x];
    RELEASE; // release
    ready[blockIdx.x] = 1;
    MORE; // more
}

__global__ void split_k(int *semaphore, float *c, const float *partial) {
    if (threadIdx.x == 0) {
        while (atomicAdd(semaphore, 0) != blockIdx.x) {
        }
        ACQUIRE; // acquire
    }
    __syncthreads();
    c[threadIdx.x] += partial[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        RELEASE; // release
        atomicExch(semaphore, blockIdx.x + 1);
        MORE; // more
    }
}

// The last block needs what all others have made.
__global__ void joined(volatile int *ready, int *part, int *out) {
    if (blockIdx.x < gridDim.x - 1) {
        part[blockIdx.x] = blockIdx.x + 1;
        RELEASE; // release
        ready[blockIdx.x] = 1;
        MORE; // more
    } else {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x - 1; ++i) {
            while (ready[i] == 0) {
            }
            ACQUIRE; // acquire
            sum += part[i];
        }
        out[0] = sum;
    }
}
