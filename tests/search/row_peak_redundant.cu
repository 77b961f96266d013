// lockstep[independent]: search
// lockstep[warp]: search --scheduling lockstep
// The last steps of a maximum concern one warp only, yet wait for the whole block. Where a warp runs in step that barrier
// is redundant; where it does not, __syncwarp() would do, but without either there is a race.
// row_peak_fixed.cu leaves the last steps to one warp.
__global__ void row_peak(const float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int k = t; k < 64; k += blockDim.x) s[k] = in[blockIdx.x * 64 + k];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d) s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads(); //~[warp] redundant-barrier warning
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
