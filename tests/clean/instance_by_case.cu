// Which instance is launched follows from the number of rows of a block: the instance for two rows has two, and so on.
template <int ROWS>
__global__ void turn_columns(float *out, const float *in, int n) {
    __shared__ float tile[ROWS][32];
    int row = threadIdx.y, column = threadIdx.x;
    int i = (blockIdx.x * ROWS + row) * 32 + column;
    tile[row][column] = i < n ? in[i] : 0.f;
    __syncthreads();
    if (i < n) out[i] = tile[ROWS - 1 - row][column];
}

void turn(float *out, const float *in, int n, int rows) {
    dim3 block(32, rows);
    switch (rows) {
    case 2: turn_columns<2><<<n / 64, block>>>(out, in, n); break;
    case 4: turn_columns<4><<<n / 128, block>>>(out, in, n); break;
    case 8: turn_columns<8><<<n / 256, block>>>(out, in, n); break;
    }
}
