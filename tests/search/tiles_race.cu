// lockstep: search
// A product of matrices by tiles of 16x16, which is the block's size though nothing says so but the arrays. The next tiles
// are loaded while some threads still multiply these. tiles_fixed.cu has a barrier at the end of the loop.
__global__ void product(const float *a, const float *b, float *c, int tiles) {
    __shared__ float ta[16][16], tb[16][16], start[16];
    int x = threadIdx.x, y = threadIdx.y, n = tiles * 16;
    int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    if (y == 0) start[x] = x;
    float sum = 0;
    for (int k = 0; k < tiles; k++) {
        ta[y][x] = a[row * n + k * 16 + x]; //~ data-race
        tb[y][x] = b[(k * 16 + y) * gridDim.x * 16 + col]; //~ data-race
        __syncthreads();
        sum += start[x];
        for (int i = 0; i < 16; i++)
            sum += ta[y][i] //~ data-race
                * tb[i][x]; //~ data-race
    }
    c[row * gridDim.x * 16 + col] = sum;
}
