// lockstep: search
// As groups_conditional.cu, but each thread looks at the group at the other end of the block, which need not be there.
__global__ void mix(const int *in, int *out, int n) {
    __shared__ int s[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int group = (blockDim.x - 1 - threadIdx.x) / 4 * 4, me = threadIdx.x % 4;
    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) {
        int sum = 0;
        for (int j = 0; j < 4; j++) sum += s[group + j] * (j + me); //~ uninitialised-read
        out[i] = sum;
    }
}
