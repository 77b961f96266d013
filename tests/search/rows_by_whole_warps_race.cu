// lockstep: check
// As rows_by_whole_warps_conditional.cu, but both results of a row have one place in every block.
__global__ void extremes(float *out, const float *in, int columns) {
    extern __shared__ float shared[];
    float *low = shared, *high = shared;
    const float *row = in + blockIdx.x * columns;
    float l = 1e30f, h = -1e30f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) l = fminf(l, row[i]), h = fmaxf(h, row[i]);
    if (threadIdx.x % 32 == 0) low[threadIdx.x / 32] = l;
    __syncthreads();
    float first = low[0]; //~ data-race
    if (threadIdx.x % 32 == 0) high[threadIdx.x / 32] = h; //~ data-race
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = first + high[0];
}
