// lockstep: search
// The pivot is a row of the matrix: its column is cleared while other threads still divide by it. No row beyond the last is
// ordinary, for then nobody does anything. pivot_row_kept.cu leaves the column alone.
__global__ void eliminate(float *m, unsigned n, unsigned pivot) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x + pivot;
    unsigned r = blockIdx.y * blockDim.y + threadIdx.y + pivot + 1;
    if (r < n && c < n) {
        float factor = m[r * n + pivot] / m[pivot * n + pivot]; //~ data-race
        m[r * n + c] -= factor * m[pivot * n + c]; //~ data-race
    }
}
