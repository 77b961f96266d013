// lockstep: search
// Each thread adds its right neighbour's element to its own, in place, while the neighbour does the same.
// neighbour_fixed.cu writes to another array.
__global__ void add_neighbour(unsigned *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n)
        data[i] += data[i + 1]; //~ data-race
}
