// How often each eight bits in a row come, counted in shared memory first, then for the whole grid.
// launch[small]: --block 64 --grid 2 --arg 'in=u32[512]:iota' --arg 'out=u32[256]' --arg n=512
// launch[large]: --block 256 --grid 2112 --arg 'in=u32[268435456]:random' --arg 'out=u32[256]' --arg n=268435456
__global__ void histogram(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned bins[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned word = in[i];
        for (int bit = 0; bit <= 24; ++bit) atomicAdd(&bins[word >> bit & 255], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&out[b], bins[b]);
}
