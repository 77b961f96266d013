// With one short more, no block of usual size is right.
__global__ void carve(double *out) {
    extern __shared__ char memory[];
    short *small = (short *)memory;
    double *large = (double *)(small + blockDim.x + 1);
    int t = threadIdx.x;
    small[t] = t;
    large[t] = t; //~ misaligned
    __syncthreads();
    int other = blockDim.x - 1 - t;
    out[blockIdx.x * blockDim.x + t] = large[other] + small[other]; //~ misaligned
}
