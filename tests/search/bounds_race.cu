// lockstep: search
// As bounds_conditional.cu, but elements of all rows are counted in a few bins, and not atomically.
__global__ void count(const int *begin, const int *keys, int *hits, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int j = begin[row]; j < begin[row + 1]; j++)
        hits[keys[j] & 3]++; //~ data-race
}
