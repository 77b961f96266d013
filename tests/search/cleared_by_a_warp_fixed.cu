// lockstep: search
// As cleared_by_a_warp_race.cu, with all lanes there after the place is cleared.
__global__ void __launch_bounds__(32) sum_of_a_row(float *out, const float *in) {
    __shared__ float parts[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp == 0) parts[lane] = 0;
    __syncthreads();
    float v = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    parts[warp] = v; //~ data-race warning
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = parts[lane];
}
