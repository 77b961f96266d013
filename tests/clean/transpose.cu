// lockstep: run --block 8,8 --grid 3,2 --arg 'in=f32[384]:iota' --arg 'out=f32[384]'
__global__ void transpose(const float *in, float *out) {
    __shared__ float tile[8][9];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int width = gridDim.x * 8, height = gridDim.y * 8;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 8 + threadIdx.x;
    y = blockIdx.x * 8 + threadIdx.y;
    out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
