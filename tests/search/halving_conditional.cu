// lockstep: search
// In each round half as many threads add: after as many rounds as the block can be halved nothing is left to add, and the
// distance is none. That there are more of them was our choice. halving_race.cu lacks a barrier.
__global__ void sum(const float *in, float *out, int rounds) {
    __shared__ float s[256];
    int t = threadIdx.x, step = blockDim.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        step /= 2;
        if (t < step || step == 0) s[t] += s[t + step + (step == 0 && t > 0 ? -1 : 0)]; //~ data-race warning
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
