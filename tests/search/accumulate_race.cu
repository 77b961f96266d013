// lockstep: search
// Sums down a column, a band at a time: the last row leaves the total for all, and may leave that of the next band before
// the others have read this one's. accumulate_fixed.cu has a second barrier in the loop.
__global__ void accumulate(const int *in, const int *start, int *out, int bands) {
    __shared__ int total[1024], first[1024];
    int x = threadIdx.x, y = threadIdx.y, w = blockDim.x, h = blockDim.y;
    if (y == 0) first[x] = start[blockIdx.x * w + x];
    int sum = 0;
    for (int k = 0; k < bands; k++) {
        int at = ((blockIdx.x * bands + k) * h + y) * w + x;
        if (y == h - 1) total[x] = in[at]; //~ data-race
        __syncthreads();
        sum += total[x]; //~ data-race
        out[at] = first[x] + sum;
    }
}
