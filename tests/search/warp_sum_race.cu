// lockstep[independent]: search
// lockstep[warp]: search --scheduling lockstep
// The last step of a sum, by one warp and with nothing to order its threads: right only where they run in step, which
// hardware since Volta does not promise. warp_sum_fixed.cu says __syncwarp().
__global__ void warp_sum(const int *in, int *out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    for (int k = t; k < 64; k += blockDim.x) s[k] = in[blockIdx.x * 64 + k];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2)
            s[t] += s[t + d]; //~[independent] data-race
        if (t == 0) out[blockIdx.x] = s[0];
    }
}
