// With ordinary sizes one launch takes longer than there is time for; with smaller ones it comes to its end.
// lockstep: check --budget 1 --only out-of-bounds,uninitialised-read
// exit: 0
__global__ void paths(const float *cost, float *best, int nodes, int rounds) {
    __shared__ float nearest[256];
    for (int a = blockIdx.x; a < nodes; a += gridDim.x) {
        nearest[threadIdx.x] = 1e30f;
        for (int r = 0; r < rounds; r++)
            for (int b = 0; b < nodes; b++)
                for (int c = threadIdx.x; c < nodes; c += blockDim.x)
                    nearest[threadIdx.x] = fminf(nearest[threadIdx.x], cost[c] + cost[b] * r);
        __syncthreads();
        if (threadIdx.x == 0) best[a] = nearest[0];
        __syncthreads();
    }
}
