// lockstep: search
// The threads of a round read what no thread of it writes.
__global__ void largest(const float *in, float *out) {
    __shared__ float best[256];
    int t = threadIdx.x;
    best[t] = in[blockIdx.x * 256 + t];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (t < half && best[t + half] > best[t])
            best[t] = best[t + half];
    }
    if (t == 0) out[blockIdx.x] = best[0];
}
