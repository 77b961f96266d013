// lockstep: search
// A ring whose size is a power of two: its mask is one less. With any other mask, two threads have one place.
// mask_of_ring_race.cu writes the place of the next thread, too.
__global__ void mask_of_ring(float *ring, const float *in, int n, unsigned head, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ring[(head + i) & mask] = in[i]; //~ data-race warning
}
