// lockstep: search
// One thread too many takes part in each round. Nobody has sorted what the largest is looked for in.
__global__ void largest(const float *in, float *out) {
    __shared__ float best[256];
    int t = threadIdx.x;
    best[t] = in[blockIdx.x * 256 + t];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t <= half && t + half < 256 && best[t + half] > best[t])  //~ data-race
            best[t] = best[t + half];  //~ data-race
    }
    if (t == 0) out[blockIdx.x] = best[0];
}
