// Threads of one block, through shared memory.
#define FENCE __threadfence_block()
#include "marked_fences.h"

__global__ void hand_over(int *out) {
    __shared__ int data;
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;
        RELEASE; // release
        atomicExch(&flag, 1);
        MORE; // more
    } else if (threadIdx.x == 1) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        ACQUIRE; // acquire
        out[0] = data;
    }
}
