// lockstep: search
// Every thread comes to every barrier, whether its half is active or not.
__global__ void half_sums(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    for (int k = t; k < 32; k += blockDim.x) s[k] = in[blockIdx.x * 32 + k];
    for (int d = 16; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[t] += s[t + d];
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[0];
}
