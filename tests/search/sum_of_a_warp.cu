// lockstep: search
// Written for one warp: a smaller block leaves elements of the array unwritten. That is the block's fault, so the finding
// names it as its condition.
__global__ void sum(const int *in, int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x, mine = 0;
    for (int i = t; i < n; i += blockDim.x) mine += in[i];
    s[t] = mine;
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half]; //~ uninitialised-read warning
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
