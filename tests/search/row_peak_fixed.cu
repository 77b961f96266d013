// lockstep: search
// One warp orders its last steps itself.
__global__ void row_peak(const float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int k = t; k < 64; k += blockDim.x) s[k] = in[blockIdx.x * 64 + k];
    __syncthreads();
    for (int d = 32; t < 32 && d > 0; d /= 2) {
        if (t < d) s[t] = fmaxf(s[t], s[t + d]);
        __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
