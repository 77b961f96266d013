// lockstep: search
// Threads count around a wheel of 37 cells, and two that are 37 apart count in the same one. wheel_fixed.cu adds atomically.
__global__ void wheel(int *cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cells[i % 37] += 1; //~ data-race
}
