// Shorts of each thread, then doubles: aligned in any block of usual size.
__global__ void carve(double *out) {
    extern __shared__ char memory[];
    short *small = (short *)memory;
    double *large = (double *)(small + blockDim.x);
    int t = threadIdx.x;
    small[t] = t;
    large[t] = t; //~ misaligned warning
    __syncthreads();
    int other = blockDim.x - 1 - t;
    out[blockIdx.x * blockDim.x + t] = large[other] + small[other]; //~ misaligned warning
}
