// lockstep: search
// The barrier is needed only where the array asks for the values to be turned round; where it does not, each thread reads
// what it has stored itself.
__global__ void maybe_reverse(const int *in, const int *mode, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x;
    s[t] = in[blockIdx.x * size + t];
    __syncthreads();
    if (mode[0] > 100)
        out[blockIdx.x * size + t] = s[size - 1 - t];
    else
        out[blockIdx.x * size + t] = s[t];
}
