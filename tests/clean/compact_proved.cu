// Places within the block from a counter of the block, and places for the block from one of all.
// lockstep: check --block 128 --grid 4
__global__ void compact(const int *in, int *out, int *size, int n) {
    __shared__ int found, first;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, place = -1;
    if (i < n && in[i] > 0) place = atomicAdd(&found, 1);
    __syncthreads();
    if (threadIdx.x == 0) first = atomicAdd(size, found);
    __syncthreads();
    if (place >= 0) out[first + place] = in[i];
}
