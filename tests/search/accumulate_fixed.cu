// lockstep: search
// The total stays until all rows have read it.
__global__ void accumulate(const int *in, const int *start, int *out, int bands) {
    __shared__ int total[1024], first[1024];
    int x = threadIdx.x, y = threadIdx.y, w = blockDim.x, h = blockDim.y;
    if (y == 0) first[x] = start[blockIdx.x * w + x];
    int sum = 0;
    for (int k = 0; k < bands; k++) {
        int at = ((blockIdx.x * bands + k) * h + y) * w + x;
        if (y == h - 1) total[x] = in[at];
        __syncthreads();
        sum += total[x];
        out[at] = first[x] + sum;
        __syncthreads();
    }
}
