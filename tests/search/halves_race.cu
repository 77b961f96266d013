// lockstep: search
// As halves_conditional.cu, but all blocks write to the same places, whatever the length.
__global__ void haar(const float *in, float *out, unsigned rounds, unsigned length) {
    extern __shared__ float s[];
    for (int k = threadIdx.x; k < 2 * blockDim.x; k += blockDim.x) s[k] = in[blockIdx.x * 2 * blockDim.x + k];
    __syncthreads();
    unsigned middle = length / 2;
    unsigned active = (1 << rounds) / 2;
    for (unsigned i = 0; i < rounds; i++) {
        float a = 0, b = 0;
        if (threadIdx.x < active) {
            a = s[2 * threadIdx.x];
            b = s[2 * threadIdx.x + 1];
        }
        __syncthreads();
        if (threadIdx.x < active) {
            s[threadIdx.x] = a + b;
            out[middle + threadIdx.x] = a - b; //~ data-race
        }
        middle /= 2;
        active /= 2;
        __syncthreads();
    }
}
