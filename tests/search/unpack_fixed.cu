// lockstep: search
// Only for strides of a whole row or more.
__global__ void unpack(const float *__restrict__ packed, float *__restrict__ m, int n, int stride) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= n || row >= n || n > stride)
        return;
    if (col <= row)
        m[row * stride + col] = packed[row * (row + 1) / 2 + col];
    else
        m[row * stride + col] = 0;
}
