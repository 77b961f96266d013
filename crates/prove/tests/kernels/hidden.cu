// --block any --grid any
// Everyday kernels that are clean for the launches they are meant for only: the condition is what an engineer would write.

// wants: blockDim.y == 1
__global__ void clean_flat(float *y, const float *x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
// wants: n <= 1073741824
__global__ void clean_grid_stride(float *y, const float *x, float a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + y[i];
}
// wants: blockDim.y == 1
__global__ void clean_one_result_a_block(float *out, const float *in) {
    if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x];
}
// wants: w * h <= 2147483647
__global__ void clean_matrix(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = in[y * w + x];
}
// wants: w * h <= 2147483647
__global__ void clean_columns(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[x * h + y] = in[y * w + x];
}
// wants: so >= w
__global__ void clean_separate_strides(float *out, const float *in, int w, int h, int so, int si) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * so + x] = in[y * si + x];
}
// wants: pitch >= w
__global__ void clean_pitched(unsigned char *image, int w, int h, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    image[y * pitch + x] = 255 - image[y * pitch + x];
}
// wants: rows * n <= 2147483647
__global__ void clean_row_a_thread(float *out, int rows, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows)
        for (int k = 0; k < n; k++) out[r * n + k] = k;
}
// wants: n <= 1073741824
__global__ void clean_grid_stride_of_64_bits(float *y, const float *x, long long n) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)blockDim.x * gridDim.x)
        y[i] = x[i];
}
// wants: columns <= 1073741824
__global__ void clean_row_a_block(float *y, const float *x, int columns) {
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        y[(size_t)blockIdx.x * columns + j] = x[(size_t)blockIdx.x * columns + j];
}
// wants: rows <= 1073741824
__global__ void clean_rows_in_turn(float *y, const float *x, int rows, int columns) {
    for (int r = blockIdx.x; r < rows; r += gridDim.x)
        for (int j = threadIdx.x; j < columns; j += blockDim.x) y[(size_t)r * columns + j] = x[j];
}
// wants: rows * columns <= 2147483647
__global__ void clean_stride_both_ways(float *y, const float *x, int rows, int columns) {
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < columns; j += gridDim.x * blockDim.x)
            y[r * columns + j] = x[j];
}
// wants: pitch >= columns
__global__ void clean_pitched_rows_in_turn(float *y, const float *x, int rows, int columns, int pitch) {
    for (int r = blockIdx.x; r < rows; r += gridDim.x)
        for (int j = threadIdx.x; j < columns; j += blockDim.x) y[(size_t)r * pitch + j] = x[j];
}
// wants: nx * ny <= 2147483647
__global__ void clean_within_a_border(float *out, const float *in, int nx, int ny) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i < nx - 1 && j < ny - 1) out[j * nx + i] = in[j * nx + i - 1] + in[(j + 1) * nx + i];
}
// wants: nx * ny <= 2147483647
__global__ void clean_behind_the_first(float *out, int nx, int ny) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i < nx && j < ny) out[j * nx + i] = j;
}
