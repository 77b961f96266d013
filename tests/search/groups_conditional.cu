// lockstep: search
// Four threads look at each other's elements. The caller gives whole groups of four, so that nothing is missing in the
// last one. In groups_uninitialised.cu whole groups are missing.
__global__ void mix(const int *in, int *out, int n) {
    __shared__ int s[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int group = threadIdx.x / 4 * 4, me = threadIdx.x % 4;
    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) {
        int sum = 0;
        for (int j = 0; j < 4; j++) sum += s[group + j] * (j + me); //~ uninitialised-read warning
        out[i] = sum;
    }
}
