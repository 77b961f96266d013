// The first thread reads before the array, in every block.
__global__ void k(int *o) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    o[t] = s[t - 1]; //~ out-of-bounds
}
