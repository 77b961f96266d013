// Structs of two bytes that are read two at a time: a load is of no member then.
struct Half {
    unsigned short bits;
};

__global__ void pairs(const Half *in, Half *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 < n) ((unsigned *)out)[i] = ((const unsigned *)in)[i] & 0x7fff7fffu;
}

// The second half of the pair is the next thread's, too.
__global__ void overlap(const Half *in, Half *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned pair = ((const unsigned *)in)[i / 2];
    if (i + 1 < n) {
        out[i].bits = pair & 0xffff; //~ data-race
        out[i + 1].bits = pair >> 16; //~ data-race
    }
}
