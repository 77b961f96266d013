// lockstep: search
// As mask_of_ring_conditional.cu, but each thread also reads the place of the next one.
__global__ void mask_of_ring(float *ring, int n, unsigned head, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ring[(head + i) & mask] += ring[(head + i + 1) & mask]; //~ data-race //~ data-race warning
}
