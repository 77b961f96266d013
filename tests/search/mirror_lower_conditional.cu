// lockstep: search
// The part of a square matrix below the diagonal is copied to the part above. Clean unless the stride is smaller than a row.
// mirror_lower_fixed.cu has no stride.
__global__ void mirror_lower(float *m, int n, int stride) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < row)
        m[col * stride + row] = m[row * stride + col]; //~ data-race warning
}
