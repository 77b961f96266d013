//--blockDim=64 --gridDim=1
// One kernel of two is racy; each has its own verdict.
__global__ void good(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    out[t] = s[63 - t];
}

__global__ void bad(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t; //~ data-race
    out[t] = s[63 - t]; //~ data-race
}
