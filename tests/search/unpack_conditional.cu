// lockstep: search
// A packed triangle is unpacked into a square, with zeros above the diagonal. Two stores, and for a stride that is smaller
// than a row each of them meets itself and the other. unpack_fixed.cu refuses such strides.
__global__ void unpack(const float *__restrict__ packed, float *__restrict__ m, int n, int stride) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= n || row >= n)
        return;
    if (col <= row)
        m[row * stride + col] = packed[row * (row + 1) / 2 + col]; //~ data-race warning
    else
        m[row * stride + col] = 0; //~ data-race warning
}
