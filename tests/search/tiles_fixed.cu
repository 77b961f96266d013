// lockstep: search
// A product of matrices by tiles of 16x16, with both barriers.
__global__ void product(const float *a, const float *b, float *c, int tiles) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, n = tiles * 16;
    int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < tiles; k++) {
        ta[y][x] = a[row * n + k * 16 + x];
        tb[y][x] = b[(k * 16 + y) * gridDim.x * 16 + col];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    c[row * gridDim.x * 16 + col] = sum;
}
