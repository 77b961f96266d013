// The last block to finish adds up what all have left.
#include "marked_fences.h"

__device__ unsigned finished = 0;

__global__ void one_thread(const float *in, float *partial, float *out) {
    partial[blockIdx.x] = in[blockIdx.x] + 1.0f;
    RELEASE; // release
    unsigned ticket = atomicAdd(&finished, 1u);
    if (ticket == gridDim.x - 1) {
        ACQUIRE; // acquire
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; ++i)
            sum += partial[i];
        out[0] = sum;
        finished = 0;
    }
    MORE; // more
}

__global__ void whole_block(const float *in, float *partial, float *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x] + 1.0f;
        RELEASE; // release
        unsigned ticket = atomicInc(&finished, gridDim.x);
        ACQUIRE; // acquire
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float sum = 0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            sum += partial[i];
        out[threadIdx.x] = sum;
    }
    MORE; // more
}

// All threads of a block leave something; the barrier orders it before the fence of the first.
__global__ void all_threads(float *partial, float *out) {
    __shared__ bool last;
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
    partial[me] = 1.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        RELEASE; // release
        last = atomicAdd(&finished, 1u) == gridDim.x - 1;
        ACQUIRE; // acquire
    }
    __syncthreads();
    if (last)
        out[me] = partial[(me + blockDim.x) % (gridDim.x * blockDim.x)];
    MORE; // more
}

// A tile of four, of which fewer threads write a part only: what is left of it is never written, and added up all the same.
__global__ void of_a_tile(const float *in, float *partial, float *out) {
    __shared__ float tile[4];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = tile[0] + tile[1] + tile[2] + tile[3];
        RELEASE; // release
        unsigned ticket = atomicAdd(&finished, 1u);
        if (ticket == gridDim.x - 1) {
            ACQUIRE; // acquire
            float sum = 0;
            for (unsigned i = 0; i < gridDim.x; ++i)
                sum += partial[i];
            out[0] = sum;
        }
    }
    MORE; // more
}

// The same, and what was never written decides who adds up.
__global__ void decides(float *partial, float *out) {
    __shared__ float tile[2];
    tile[0] = 1.0f;
    __syncthreads();
    partial[blockIdx.x] = tile[1];
    RELEASE; // release
    if (atomicAdd(&finished, 1u) == gridDim.x - 1) {
        ACQUIRE; // acquire
        if (partial[0] > 0.5f)
            out[0] = partial[0];
    }
}
