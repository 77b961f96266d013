// A pass of a radix sort: each block sorts its pieces by four bits, and keeps them apart by value.
// launch[small]: --block 64 --grid 2 --arg 'in=u32[256]:random' --arg 'out=u32[256]' --arg 'first=u32[32]' --arg tiles=2 --arg shift=4
// launch[large]: --block 256 --grid 1056 --arg 'in=u32[43253760]:random' --arg 'out=u32[43253760]' --arg 'first=u32[16896]' --arg tiles=160 --arg shift=4
__global__ void radix(const unsigned *in, unsigned *out, unsigned *first, int tiles, int shift) {
    __shared__ unsigned total[16], next[16], ones[256];
    int t = threadIdx.x;
    unsigned piece = blockIdx.x * tiles * blockDim.x;
    if (t < 16) total[t] = 0;
    __syncthreads();
    for (int tile = 0; tile < tiles; ++tile) atomicAdd(&total[in[piece + tile * blockDim.x + t] >> shift & 15], 1u);
    __syncthreads();
    if (t == 0) {
        unsigned sum = 0;
        for (int d = 0; d < 16; ++d) {
            next[d] = sum;
            sum += total[d];
        }
    }
    __syncthreads();
    if (t < 16) first[blockIdx.x * 16 + t] = next[t];
    for (int tile = 0; tile < tiles; ++tile) {
        unsigned key = in[piece + tile * blockDim.x + t], digit = key >> shift & 15, rank = 0;
        ones[t] = digit;
        __syncthreads();
        for (int other = 0; other < t; ++other) rank += ones[other] == digit;
        out[piece + next[digit] + rank] = key;
        __syncthreads();
        atomicAdd(&next[digit], 1u);
        __syncthreads();
    }
}
