// A matrix product by tiles of 16 x 16 in shared memory.
// launch[small]: --block 16,16 --grid 2,2 --arg 'a=f32[1024]:random' --arg 'b=f32[1024]:random' --arg 'c=f32[1024]' --arg n=32
// launch[large]: --block 16,16 --grid 128,128 --arg 'a=f32[4194304]:random' --arg 'b=f32[4194304]:random' --arg 'c=f32[4194304]' --arg n=2048
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
