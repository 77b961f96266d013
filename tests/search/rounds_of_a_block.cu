// lockstep: search
// A loop that begins at the thread's index and goes on by 32 is written for blocks of 32 threads: with more of them, a sum
// would be written by several. rounds_of_a_block_race.cu forgets the barrier.
template <int THREADS>
__global__ void sum(const float *in, float *out, int n) {
    __shared__ float s[64];
    float mine = 0;
    for (int i = threadIdx.x; i < n; i += THREADS) mine += in[blockIdx.x * n + i];
    s[threadIdx.x % THREADS] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        float all = 0;
        for (int k = 0; k < THREADS; k++) all += s[k];
        out[blockIdx.x] = all;
    }
}

template __global__ void sum<32>(const float *, float *, int);
