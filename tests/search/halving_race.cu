// lockstep: search
// As halving_conditional.cu, but one round does not wait for the one before.
__global__ void sum(const float *in, float *out, int rounds) {
    __shared__ float s[256];
    int t = threadIdx.x, step = blockDim.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        step /= 2;
        if (t < step) s[t] += s[t + step]; //~ data-race
    }
    if (t == 0) out[blockIdx.x] = s[t];
}
