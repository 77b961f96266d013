// lockstep: search
// As border_conditional.cu, but a thread reads what its neighbours write.
__global__ void smooth(float *cells, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int c = y * width + x;
    int west = x == 0 ? c : c - 1;
    int east = x == width - 1 ? c : c + 1;
    cells[c] = cells[west] + cells[c] + cells[east]; //~ data-race //~ data-race warning
}
