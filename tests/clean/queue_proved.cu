// One thread draws work for its block; the barrier at the head keeps the number until all have read it.
// lockstep: check
__global__ void work(const float *in, float *out, int *next, int n) {
    __shared__ int first;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) first = atomicAdd(next, (int)blockDim.x);
        __syncthreads();
        if (first >= n) break;
        int i = first + threadIdx.x;
        if (i < n) out[i] = 2 * in[i];
    }
}
