// lockstep[independent]: search
// lockstep[warp]: search --scheduling lockstep
// A sum whose last steps are left to one warp without a word: clean where a warp runs in step, a race where it need not.
// warp_tail_fixed.cu exchanges by shuffles.
__global__ void trace(const float *a, const float *b, float *out, int n) {
    __requires(blockDim.x == 256);
    __shared__ float sum[256];
    int t = threadIdx.x;
    float mine = 0;
    for (int k = t; k < n; k += 256) mine += a[blockIdx.x * n + k] * b[blockIdx.x * n + k];
    sum[t] = mine;
    __syncthreads();
    for (int d = 128; d > 32; d /= 2) {
        if (t < d) sum[t] += sum[t + d];
        __syncthreads();
    }
    if (t < 32)
        for (int d = 32; d > 0; d /= 2)
            sum[t] += sum[t + d]; //~[independent] data-race
    if (t == 0) out[blockIdx.x] = sum[0];
}
