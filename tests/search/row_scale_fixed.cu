// lockstep: search
// No shared memory, no barrier.
__global__ void scale_rows(float *m, const float *divisor, int rows, int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        for (int c = 0; c < cols; c++) m[c * rows + row] /= divisor[row];
}
