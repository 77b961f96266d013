// lockstep: search
// The end of the kernel orders what has to be ordered.
__global__ void products(const float *value, const int *column, const float *x, float *product, int n) {
    int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    for (int k = 0; k < 4; k++, i += blockDim.x)
        if (i < n) product[i] = value[i] * x[column[i]];
}
