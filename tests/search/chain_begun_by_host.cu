// Each block waits for the one before it, and the first one for its caller.
__global__ void chain(int *ready, unsigned *sums, const unsigned *in) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        while (atomicAdd(&ready[b], 0) == 0) //~ deadlock warning
            ;
        __threadfence();
        atomicExch(&sums[b + 1], atomicAdd(&sums[b], 0) + in[b]);
        __threadfence();
        atomicExch(&ready[b + 1], 1);
    }
}

// This one waits for the one behind it, and the last for nobody.
__global__ void against(int *ready, unsigned *sums, const unsigned *in) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        atomicExch(&ready[b], 1);
        while (atomicAdd(&ready[b + 1], 0) == 0) //~ deadlock
            ;
        __threadfence();
        sums[b] = in[b] + in[b + 1];
    }
}
