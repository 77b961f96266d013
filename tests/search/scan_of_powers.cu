// lockstep: search
// One less than the size is a mask, so the size is a power of two; with another one, halves of the array overlap.
__global__ void scan(const unsigned *in, unsigned *out, unsigned size) {
    __shared__ unsigned s[512];
    unsigned t = threadIdx.x, at = 2 * t - (t & (size - 1));
    s[at] = 0; //~ data-race warning
    at += size;
    unsigned mine = in[blockIdx.x * 256 + t];
    s[at] = mine; //~ data-race warning
    for (unsigned step = 1; step < size; step <<= 1) {
        __syncthreads();
        mine = s[at] + s[at - step];
        __syncthreads();
        s[at] = mine; //~ data-race warning
    }
    out[blockIdx.x * 256 + t] = mine;
}
