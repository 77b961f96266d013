// lockstep: search
// Each thread clears its own cell and may then store to its own cell: nothing for the first barrier to order.
// median_fixed.cu is without it.
__global__ void lowest(const float *error, float *out, int n) {
    __shared__ float least[1024];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    least[t] = 1e30f;
    __syncthreads(); //~ redundant-barrier warning
    if (i < n) least[t] = error[i];
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) least[t] = fminf(least[t], least[t + half]);
    }
    if (t == 0) out[blockIdx.x] = least[0];
}
