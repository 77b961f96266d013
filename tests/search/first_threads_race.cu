// lockstep: search
// The second half of the block writes into the upper half of what the first writes.
union Word {
    float whole;
    unsigned bits;
    unsigned short parts[2];
};
__global__ void pack(const float *in, unsigned *out) {
    __shared__ Word words[64];
    int t = threadIdx.x;
    if (t < 64)
        words[t].whole = in[t];  //~ data-race
    else if (t < 128)
        words[t - 64].parts[1] = 7;  //~ data-race
    __syncthreads();
    if (t < 64) out[blockIdx.x * 64 + t] = words[t].bits;
}
