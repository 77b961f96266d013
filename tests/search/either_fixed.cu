// lockstep: search
// One barrier between the stores and the reads.
__global__ void reverse(const int *in, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x;
    s[t] = in[blockIdx.x * size + t];
    int sum = t * 2;
    __syncthreads();
    out[blockIdx.x * size + t] = s[size - 1 - t] + sum;
}
