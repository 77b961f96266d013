// lockstep: search
// Bins chosen by a texture: which of them two threads share is a matter of its contents. texture_histogram_fixed.cu adds atomically.
texture<unsigned char, 1, cudaReadModeElementType> samples;

__global__ void histogram(unsigned *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[tex1Dfetch(samples, i)] += 1; //~ data-race
}
