// lockstep: search
// The second barrier of the loop orders nothing within a round, only the reads of one against the stores of the next.
__global__ void rounds(const int *in, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x, base = blockIdx.x * size, sum = 0;
    for (int k = 0; k < 3; k++) {
        s[t] = in[base + t] * k;
        __syncthreads();
        sum += s[size - 1 - t];
        __syncthreads();
    }
    out[base + t] = sum;
}
