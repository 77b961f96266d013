// lockstep: search
// Each thread stores to its cell of a ring: clean for a ring of as many cells as threads, racy for a smaller one.
// ring_fixed.cu stores only the last round.
__global__ void ring(const int *in, int *cell, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (cells > 0)
        cell[i % cells] = in[i] + i; //~ data-race warning
}
