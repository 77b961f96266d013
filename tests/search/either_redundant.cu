// lockstep: search
// Of the two barriers either may go, but not both: one finding, for the first of them. either_fixed.cu has one.
__global__ void reverse(const int *in, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x;
    s[t] = in[blockIdx.x * size + t];
    __syncthreads(); //~ redundant-barrier warning
    int sum = t * 2;
    __syncthreads(); //~ redundant-barrier warning
    out[blockIdx.x * size + t] = s[size - 1 - t] + sum;
}
