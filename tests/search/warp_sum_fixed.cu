// lockstep: search
// The half of the warp that adds is another than the half it reads, and __syncwarp() stands behind each step.
__global__ void warp_sum(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int k = t; k < 64; k += blockDim.x) s[k] = in[blockIdx.x * 64 + k];
    __syncthreads();
    if (t < 32) {
        for (int d = 32; d > 0; d /= 2) {
            if (t < d) s[t] += s[t + d];
            __syncwarp();
        }
        if (t == 0) out[blockIdx.x] = s[0];
    }
}
