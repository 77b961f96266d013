// lockstep: search
// Only the upper half of the values left is added to the lower half.
__global__ void fold(double *sum, int *steps) {
    __shared__ double v[1024];
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t, count = 0;
    v[t] = sum[i];
    for (int left = size; left > 1; count++) {
        __syncthreads();
        int half = (left + 1) / 2;
        if (t >= half && t < left)
            v[t - half] += v[t];
        left = half;
    }
    __syncthreads();
    if (t == 0) steps[blockIdx.x] = count;
    sum[i] = v[t] + v[0];
}
