// lockstep: search
// Of the threads with the same cell only the last stores.
__global__ void ring(const int *in, int *cell, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    if (cells > 0 && i + cells >= all)
        cell[i % cells] = in[i] + i;
}
