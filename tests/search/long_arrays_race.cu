// lockstep: search
// As long_arrays_fixed.cu without the last barrier: a race, but only where n exceeds the block.
__global__ void blur(const float *in, float *out, int n) {
    __shared__ float s[1024], first;
    int t = threadIdx.x;
    if (t == 0) first = in[blockIdx.x * n];
    for (int base = 0; base < n; base += blockDim.x) {
        int i = base + t;
        s[t] = i < n ? in[blockIdx.x * n + i] : 0; //~ data-race
        __syncthreads();
        if (i < n) out[blockIdx.x * n + i] = (s[t] + s[max(t - 1, 0)]) / 2 - first; //~ data-race
    }
}
