// lockstep: search
// As texture_histogram_race.cu, with an atomic addition.
texture<unsigned char, 1, cudaReadModeElementType> samples;

__global__ void histogram(unsigned *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[tex1Dfetch(samples, i)], 1u);
}
