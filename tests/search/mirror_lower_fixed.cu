// lockstep: search
// The rows of the matrix follow each other without gap or overlap.
__global__ void mirror_lower(float *m, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < row)
        m[col * n + row] = m[row * n + col];
}
