// Differences within a block, other ones at its ends. How many rows there are says the caller: as many as threads.
__global__ void differences(const float *in, float *out, int rows) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    __syncthreads();
    if (t == 0)
        out[i] = s[t + 1] - s[t]; //~ uninitialised-read warning
    else if (t == rows - 1)
        out[i] = s[t] - s[t - 1];
    else
        out[i] = (s[t + 1] - s[t - 1]) / 2; //~ uninitialised-read warning
}

// The last thread reads behind, whatever the caller says.
__global__ void differences_wrong(const float *in, float *out, int rows) {
    extern __shared__ float s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    __syncthreads();
    if (t == rows - 1)
        out[i] = s[t + 1] - s[t];
    else
        out[i] = s[t + 1]; //~ uninitialised-read
}
