// One thread draws places for its block: the last one is the next block's first.
// lockstep: check --block 64 --grid 4
__global__ void append(const float *in, float *out, unsigned *size) {
    __shared__ unsigned first;
    if (threadIdx.x == 0) first = atomicAdd(size, blockDim.x - 1);
    __syncthreads();
    out[first + threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];  //~ data-race
}
