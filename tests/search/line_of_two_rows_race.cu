// lockstep: search
// The lower half of the block works on other rows, and forgets it where it stores: blocks have several rows, as the
// branch shows.
__global__ void halves(const float *in, float *out, int w) {
    __shared__ float line[1024];
    int x = threadIdx.x, y = threadIdx.y;
    int at = (blockIdx.x * blockDim.y + y) * w + x;
    if (x < w) line[x] = in[at]; //~ data-race
    __syncthreads();
    if (y > 0 && x < w) out[at] = line[w - 1 - x]; //~ uninitialised-read warning
}
