// lockstep: search
// Rows that would overlap are left alone.
__global__ void scale_rows(float *m, const float *factor, int rows, int cols, int stride) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows && cols <= stride)
        m[y * stride + x] *= factor[y];
}
