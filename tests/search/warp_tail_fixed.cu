// lockstep: search
// The last warp adds up by shuffles, which need no shared memory.
__global__ void trace(const float *a, const float *b, float *out, int n) {
    __requires(blockDim.x == 256);
    __shared__ float sum[256];
    int t = threadIdx.x;
    float mine = 0;
    for (int k = t; k < n; k += blockDim.x) mine += a[blockIdx.x * n + k] * b[blockIdx.x * n + k];
    sum[t] = mine;
    for (int d = 128; d >= 32; d /= 2) {
        __syncthreads();
        if (t < d) sum[t] += sum[t + d];
    }
    if (t < 32) {
        float v = sum[t];
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
        if (t == 0) out[blockIdx.x] = v;
    }
}
