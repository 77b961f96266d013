__global__ void sum(int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t < n) {
        s[t] += s[t + 16];
        __syncthreads();
    }
    __syncthreads();
    out[t] = s[t];
}
