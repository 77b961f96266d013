// lockstep: search
// Every halving ends with a barrier. Whether one of them is needed depends on the contents of the array.
__global__ void nearest(const int *distance, int *best) {
    __shared__ int d[8];
    int t = threadIdx.x;
    for (int k = t; k < 8; k += blockDim.x) d[k] = distance[blockIdx.x * 8 + k];
    __syncthreads();
    if (t < 4 && d[t + 4] < d[t])
        d[t] = d[t + 4];
    __syncthreads();
    if (t < 2 && d[t + 2] < d[t])
        d[t] = d[t + 2];
    __syncthreads();
    if (t < 1 && d[t + 1] < d[t])
        d[t] = d[t + 1];
    if (t == 0) best[blockIdx.x] = d[0];
}
