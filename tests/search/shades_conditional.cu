// lockstep: search
// Each block counts shades in bins of its own. A shade lies between 0 and 1: one beyond falls into the bins of the next block.
// shades_race.cu gives all blocks the same bins.
__global__ void count(const float *shade, unsigned *bins, int n) {
    unsigned *mine = bins + blockIdx.x * 64;
    for (int i = threadIdx.x; i < 64; i += blockDim.x) mine[i] = 0; //~ data-race warning
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&mine[(unsigned)(shade[i] * 64)], 1u); //~ data-race warning
}
