// lockstep: search
// The last barrier is needed only where n exceeds the block, so that the loop has a second round.
__global__ void blur(const float *in, float *out, int n) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    for (int base = 0; base < n; base += blockDim.x) {
        int i = base + t;
        s[t] = i < n ? in[blockIdx.x * n + i] : 0;
        __syncthreads();
        if (i < n) out[blockIdx.x * n + i] = (s[t] + s[max(t - 1, 0)]) / 2;
        __syncthreads();
    }
}
