// A block of ten threads stays inside.
__global__ void k(int *o, int n) {
    __shared__ int h[10];
    int t = threadIdx.x;
    if (t < 10)
        h[t] = 0;
    __syncthreads();
    atomicAdd(&h[t % 11], 1); //~ out-of-bounds warning
    __syncthreads();
    if (t < 10)
        o[t] = h[t] + n;
}
