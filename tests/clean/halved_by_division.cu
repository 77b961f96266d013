// A tree over a size that only the host knows to be that of the block: halved by signed division, and tested before the barrier.
// lockstep: prove --only data-race,barrier-divergence --assume 'threads == blockDim.x && blockDim.y == 1 && blockDim.z == 1'
__global__ void sum(float *out, const float *in, int n, int threads) {
    extern __shared__ float part[];
    int t = threadIdx.x;
    float s = 0;
    for (int i = t; i < n; i += threads) s += in[i];
    part[t] = s;
    for (int half = threads / 2; half >= 1; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
