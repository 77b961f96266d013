// lockstep: search
// Products of a sparse matrix, four to a thread, each to its own place; the barrier at the end orders nothing.
// sparse_products_fixed.cu is without it.
__global__ void products(const float *value, const int *column, const float *x, float *product, int n) {
    int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    for (int k = 0; k < 4; k++, i += blockDim.x)
        if (i < n) product[i] = value[i] * x[column[i]];
    __syncthreads(); //~ redundant-barrier warning
}
