// lockstep: check
// Who counts in warps launches whole ones. What goes wrong with others only is conditional; the last is wrong with all.
__global__ void leaders(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int warp = i >> 5, lane = threadIdx.x % 32;
    if (i < n && lane == 0) out[warp] = in[i]; //~ data-race warning
}

__global__ void leaders_in_a_block(const float *in, float *out) {
    int warps = blockDim.x / 32, warp = threadIdx.x / 32;
    float sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) out[blockIdx.x * warps + warp] = sum; //~ data-race warning
}

__global__ void half_warps(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (threadIdx.x & 15) == 0) out[i / 32] = in[i]; //~ data-race
    if ((threadIdx.x & 31) == 0) __syncwarp(1);
}
