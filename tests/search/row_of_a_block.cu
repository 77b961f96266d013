// lockstep: search
// Written for blocks as wide as a row: with a longer row, the neighbours at its ends are not in the array.
__global__ void derivative(const float *in, float *out, int width) {
    extern __shared__ float row[];
    int x = threadIdx.x, y = blockIdx.x;
    row[x + 1] = in[y * width + x];
    __syncthreads();
    if (x == 0) {
        row[0] = row[width];
        row[width + 1] = row[1];
    }
    __syncthreads();
    out[y * width + x] = row[x + 2] - row[x]; //~ uninitialised-read warning //~ data-race warning
}
