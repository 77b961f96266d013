// lockstep: search
// Rows are as long as the grid is high: the grid is a square.
__global__ void copy(const float *in, float *out) {
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    int length = gridDim.y * 16;
    out[y * length + x] = in[y * length + x]; //~ data-race warning
}
