//--blockDim=[8,8] --gridDim=[2,2]
// lockstep: check --arg 'a=f32[256]:random' --arg 'b=f32[256]:random' --arg 'c=f32[256]' --arg n=16
#define TILE 8

__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int m = 0; m < n; m += TILE) {
        as[y][x] = a[row * n + m + x];
        bs[y][x] = b[(m + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
