// lockstep: search
// Rows that are too short by one: neighbours meet in a square as well.
__global__ void turn(float *to, const float *from) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y, width = gridDim.x * 32;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = from[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) to[(y + j) * (width - 1) + x] = tile[threadIdx.x][threadIdx.y + j]; //~ data-race
}
