// lockstep: search
// One barrier for both arms.
__global__ void halves(const int *in, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x;
    s[t] = in[blockIdx.x * size + t];
    if (t < size / 2)
        s[t] = s[t] + 1;
    else
        s[t] = s[t] - 1;
    __syncthreads();
    out[blockIdx.x * size + t] = s[size - 1 - t];
}
