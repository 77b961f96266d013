// lockstep: search
// __restrict__: the arrays do not overlap.
__global__ void shift(const int *__restrict__ in, int *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n)
        out[i] = in[i + 1];
}
