// lockstep: search
// Each thread keeps the factor of its row in a cell of its own: neither barrier orders anything, alone or together.
// row_scale_fixed.cu keeps it in a variable.
__global__ void scale_rows(float *m, const float *divisor, int rows, int cols) {
    __shared__ float factor[1024];
    int t = threadIdx.x, row = blockIdx.x * blockDim.x + t;
    factor[t] = 1;
    __syncthreads(); //~ redundant-barrier warning
    if (row < rows) factor[t] = 1 / divisor[row];
    __syncthreads(); //~ redundant-barrier warning
    if (row < rows)
        for (int c = 0; c < cols; c++) m[c * rows + row] *= factor[t];
}
