// lockstep: check
// Where the block has less than a warp, both results of a row have one place. For all other blocks the kernel is proved, if
// sizes do not overflow: neither condition is enough alone. rows_by_whole_warps_race.cu has one place for both in every block.
__global__ void extremes(float *out, const float *in, int columns) {
    extern __shared__ float shared[];
    int warps = blockDim.x / 32;
    float *low = shared, *high = &shared[warps];
    const float *row = in + blockIdx.x * columns;
    float l = 1e30f, h = -1e30f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) l = fminf(l, row[i]), h = fmaxf(h, row[i]);
    if (threadIdx.x % 32 == 0) low[threadIdx.x / 32] = l;
    __syncthreads();
    float first = low[0]; //~ data-race warning
    if (threadIdx.x % 32 == 0) high[threadIdx.x / 32] = h; //~ data-race warning
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = first + high[0];
}
