// lockstep: search
// As rare_branch_fixed.cu without the barrier: a race only where the array asks for it.
__global__ void maybe_reverse(const int *in, const int *mode, int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x, size = blockDim.x;
    s[t] = in[blockIdx.x * size + t]; //~ data-race
    if (mode[0] > 100)
        out[blockIdx.x * size + t] = s[size - 1 - t]; //~ data-race
    else
        out[blockIdx.x * size + t] = s[t];
}
