// A second part, twenty megabytes behind the first, in which pairs of threads meet.
__global__ void k(int *o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        o[i] = i;
        if (i % 3 == 0)
            o[5000000 + i / 6] = i; //~ data-race
    }
}
