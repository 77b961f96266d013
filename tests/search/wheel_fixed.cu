// lockstep: search
// Additions to the same cell are atomic.
__global__ void wheel(int *cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&cells[i % 37], 1);
}
