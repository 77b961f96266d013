// Which element a thread stores depends on data, and is its own for every content of the array.
// lockstep: check --block 32 --grid 2
__global__ void rotated(const int *shift, int *out) {
    __shared__ int s[32];
    s[(threadIdx.x + shift[blockIdx.x]) & 31] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}
