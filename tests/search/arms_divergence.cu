// lockstep: search
// The two halves of a block take different arms of a branch, and each arm has a barrier of its own: they are two barriers.
// arms_fixed.cu has one behind the branch.
__global__ void halves(const int *in, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x;
    s[t] = in[blockIdx.x * size + t];
    if (t < size / 2) {
        s[t] = s[t] + 1;
        __syncthreads(); //~ barrier-divergence
    } else {
        s[t] = s[t] - 1;
        __syncthreads(); //~ barrier-divergence
    }
    out[blockIdx.x * size + t] = s[size - 1 - t];
}
