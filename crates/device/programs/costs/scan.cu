// Prefix sums of rows: tile after tile, each in shared memory, the sum of those before is carried along.
// launch[small]: --block 64 --grid 2 --arg 'in=u32[256]:iota' --arg 'out=u32[256]' --arg tiles=2
// launch[large]: --block 512 --grid 1056 --arg 'in=u32[155713536]:random' --arg 'out=u32[155713536]' --arg tiles=288
__global__ void scan(const unsigned *in, unsigned *out, int tiles) {
    __shared__ unsigned part[512];
    int t = threadIdx.x;
    unsigned before = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        int i = (blockIdx.x * tiles + tile) * blockDim.x + t;
        part[t] = in[i];
        __syncthreads();
        for (int offset = 1; offset < blockDim.x; offset *= 2) {
            unsigned other = t >= offset ? part[t - offset] : 0;
            __syncthreads();
            part[t] += other;
            __syncthreads();
        }
        out[i] = before + part[t];
        before += part[blockDim.x - 1];
        __syncthreads();
    }
}
