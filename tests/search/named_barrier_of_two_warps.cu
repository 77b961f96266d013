// A barrier of 64 threads is not for a block of one warp.
// lockstep: check --only barrier-divergence,deadlock
__global__ void meet(int *out) {
    __shared__ int values[64];
    int t = threadIdx.x;
    if (t < 64) {
        values[t] = t;
        asm volatile("bar.sync 1, 64;" ::: "memory"); //~ barrier-divergence warning
        out[blockIdx.x * 64 + t] = values[63 - t];
    }
}

// One warp never makes up 64 threads.
__global__ void never(int *out) {
    int t = threadIdx.x;
    if (t < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory"); //~ barrier-divergence
        out[blockIdx.x * 32 + t] = t;
    }
}
