// lockstep: search
// One warp clears what each warp then puts its sum into: that all lanes store the same sum must not hide that another lane has
// cleared the place before, without __syncwarp(). cleared_by_a_warp_fixed.cu has it.
__global__ void __launch_bounds__(32) sum_of_a_row(float *out, const float *in) {
    __shared__ float parts[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp == 0) parts[lane] = 0; //~ data-race
    float v = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    parts[warp] = v; //~ data-race //~ data-race warning
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = parts[lane];
}
