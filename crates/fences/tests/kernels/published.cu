// The kernels that papers on missing fences look at, written anew: a dot product with a lock, and a scan that looks back.
#ifndef RELEASE
#define RELEASE __threadfence()
#endif
#ifndef ACQUIRE
#define ACQUIRE __threadfence()
#endif
#ifndef MORE
#define MORE
#endif

__device__ int mutex = 0;

__global__ void dot(const float *a, const float *b, float *c) {
    __shared__ float cache[2];
    float sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 8; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
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

// States of a tile: 0 nothing is known, 1 its own sum, 2 the sum of all up to it.
__global__ void scan(volatile int *state, int *sum, int *prefix, const int *in, int *out) {
    int tile = blockIdx.x;
    int own = in[tile] + 1;
    int before = 0;
    if (tile > 0) {
        sum[tile] = own;
        RELEASE; // release
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
    RELEASE; // release
    state[tile] = 2;
    MORE; // more
    out[tile] = before;
}

// State and sum are one word: no fence is needed.
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
