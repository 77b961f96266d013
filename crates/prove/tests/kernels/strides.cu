// --block any --grid any
// Grid-stride loops and rows that no sensible size makes clean: no condition is found for them.

__global__ void alarm_stride_of_one_block(float *y, const float *x, size_t n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) y[i] = x[i];
}
__global__ void alarm_row_with_one_more(float *y, const float *x, int columns) {
    for (int j = threadIdx.x; j <= columns; j += blockDim.x) y[(size_t)blockIdx.x * columns + j] = x[j];
}
__global__ void alarm_rows_that_overlap(float *y, const float *x, int rows, int columns) {
    for (int r = blockIdx.x; r < rows; r += gridDim.x)
        for (int j = threadIdx.x; j <= columns; j += blockDim.x) y[(size_t)r * columns + j] = x[j];
}
