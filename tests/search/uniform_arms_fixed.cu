// lockstep: search
// All threads of a block take the same arm, since the branch depends on the block alone; each arm needs its barrier.
__global__ void odd_even(const int *in, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
    if (blockIdx.x % 2 == 0) {
        s[t] = in[i];
        __syncthreads();
        out[i] = s[size - 1 - t];
    } else {
        s[t] = -in[i];
        __syncthreads();
        out[i] = s[(t + 1) % size];
    }
}
