// As shared_before, without the first thread.
__global__ void k(int *o) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    o[t] = t ? s[t - 1] : 0;
}
