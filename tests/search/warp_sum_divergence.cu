// lockstep: search
// The barrier of a halving sum stands inside the branch of the active half. warp_sum_uniform_fixed.cu has it outside.
__global__ void half_sums(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    for (int k = t; k < 32; k += blockDim.x) s[k] = in[blockIdx.x * 32 + k];
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];
            __syncthreads(); //~ barrier-divergence
        }
    }
    __syncthreads(); //~ barrier-divergence
    out[blockIdx.x * blockDim.x + t] = s[0];
}
