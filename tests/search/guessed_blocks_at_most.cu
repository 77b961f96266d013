// The arithmetic was written for blocks of one size. Smaller ones do no harm, and the proof covers them; where the size of
// the block is read, a shared array only says how large it may be, and races do not hang on that at all.
// lockstep: check
// exit: 0
__global__ void turn(const float *in, float *out) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}

__global__ void turn_any(const float *in, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t];
}
