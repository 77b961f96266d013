// lockstep: search
// As pivot_row.cu, from the column after the pivot's.
__global__ void eliminate(float *m, unsigned n, unsigned pivot) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x + pivot + 1;
    unsigned r = blockIdx.y * blockDim.y + threadIdx.y + pivot + 1;
    if (r < n && c < n) {
        float factor = m[r * n + pivot] / m[pivot * n + pivot];
        m[r * n + c] -= factor * m[pivot * n + c];
    }
}
