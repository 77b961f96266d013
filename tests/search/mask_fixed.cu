// lockstep: search
// Launched with powers of two only.
__global__ void reverse(const int *in, int *out) {
    __requires((blockDim.x & (blockDim.x - 1)) == 0);
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x;
    s[t & (size - 1)] = in[blockIdx.x * size + t];
    __syncthreads();
    out[blockIdx.x * size + t] = s[(size - 1 - t) & (size - 1)];
}
