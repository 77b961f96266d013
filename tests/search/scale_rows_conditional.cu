// lockstep: search
// Each element of a matrix by itself: clean for a stride that is not smaller than a row, but rows overlap for a smaller one.
// scale_rows_fixed.cu refuses such strides.
__global__ void scale_rows(float *m, const float *factor, int rows, int cols, int stride) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows)
        m[y * stride + x] *= factor[y]; //~ data-race warning
}
