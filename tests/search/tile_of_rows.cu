// lockstep: search
// Sixteen rows of a tile, sixteen at a time: the step says how many the block has. tile_of_rows_race.cu lacks the barrier.
__global__ void transpose(const float *in, float *out, int width) {
    __shared__ float tile[16][17];
    int across = (blockIdx.x + blockIdx.y) % gridDim.x, down = blockIdx.x;
    int from = (down * 16 + threadIdx.y) * width + across * 16 + threadIdx.x;
    int to = (across * 16 + threadIdx.y) * width + down * 16 + threadIdx.x;
    for (int i = 0; i < 16; i += 16) tile[threadIdx.y + i][threadIdx.x] = in[from + i * width];
    __syncthreads();
    for (int i = 0; i < 16; i += 16) out[to + i * width] = tile[threadIdx.x][threadIdx.y + i]; //~ data-race warning
}
