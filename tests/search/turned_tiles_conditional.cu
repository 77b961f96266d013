// lockstep: search
// A tile is filled as far as the picture goes, and read turned: where width and height are multiples of 16, it is filled as a
// whole, or not read. In turned_tiles_unwritten.cu the last column is never filled.
__global__ void turn(const float *in, float *out, int width, int height) {
    __shared__ float tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    if (blockIdx.x * 16 < width && blockIdx.y * 16 < height)
        out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 16 + threadIdx.x] =
            tile[threadIdx.x][threadIdx.y]; //~ uninitialised-read warning
}
