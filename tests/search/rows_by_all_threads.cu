// lockstep: search --only data-race
// All threads along x write the sum of their row's element, and the same one: rows lie behind each other.
__global__ void sums(const int *begins, const float *of_row, float *out, int n) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= n) return;
    for (int j = begins[row]; j < begins[row + 1]; j++)
        out[j] = of_row[row]; //~ data-race warning
}

// Here they do not write the same one.
__global__ void marks(const int *begins, const float *of_row, float *out, int n) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= n) return;
    for (int j = begins[row]; j < begins[row + 1]; j++)
        out[j] = of_row[row] + threadIdx.x; //~ data-race
}
