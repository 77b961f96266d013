// lockstep: search
// As turned_tiles_conditional.cu, but the last column of each tile is never filled.
__global__ void turn(const float *in, float *out, int width, int height) {
    __shared__ float tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (threadIdx.x < 15 && x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    if (blockIdx.x * 16 < width && blockIdx.y * 16 < height)
        out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 16 + threadIdx.x] =
            tile[threadIdx.x][threadIdx.y]; //~ uninitialised-read
}
