// lockstep: search
// A thread's place is taken modulo the size of the block by a mask, which is right for powers of two only: for other block
// sizes two threads have the same place. mask_fixed.cu states the assumption.
__global__ void reverse(const int *in, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x;
    s[t & (size - 1)] = in[blockIdx.x * size + t]; //~ data-race warning
    __syncthreads();
    out[blockIdx.x * size + t] = s[(size - 1 - t) & (size - 1)];
}
