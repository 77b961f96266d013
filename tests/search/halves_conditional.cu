// lockstep: search
// Each round writes half as many differences as the one before, in front of them: those of all blocks, from half of the
// length on. Lengths that are not all blocks' elements let the parts of two rounds overlap. halves_race.cu forgets the
// block.
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
            out[middle + blockIdx.x * active + threadIdx.x] = a - b; //~ data-race warning
        }
        middle /= 2;
        active /= 2;
        __syncthreads();
    }
}
