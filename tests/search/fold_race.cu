// lockstep: search
// The upper half of a block adds its values to the lower half, but so do threads beyond the number of values left: they
// write what the thread in between reads. And a barrier comes before anything is shared. fold_fixed.cu lets only the
// upper half add.
__global__ void fold(double *sum, int *steps) {
    __shared__ double v[1024];
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t, count = 0;
    double first = sum[i];
    __syncthreads(); //~ redundant-barrier warning
    v[t] = first;
    for (int left = size; left > 1; count++) {
        __syncthreads();
        int half = (left + 1) / 2;
        if (t >= half)
            v[t - half] += v[t]; //~ data-race
        left = half;
    }
    __syncthreads();
    if (t == 0) steps[blockIdx.x] = count;
    sum[i] = v[t] + v[0];
}
