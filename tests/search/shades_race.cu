// lockstep: search
// As shades_conditional.cu, but the bins are those of all blocks: one clears them while another counts.
__global__ void count(const float *shade, unsigned *bins, int n) {
    for (int i = threadIdx.x; i < 64; i += blockDim.x) bins[i] = 0; //~ data-race
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[(unsigned)(shade[i] * 64)], 1u); //~ data-race
}
