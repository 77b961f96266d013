// lockstep: search
// A histogram that counts without atomics: any two equal elements race, and that there are some is what it is for.
// histogram_fixed.cu adds atomically.
__global__ void histogram(const unsigned char *data, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bins[data[i]] += 1; //~ data-race
}
