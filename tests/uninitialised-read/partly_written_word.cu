// Three of four bytes are written, then the word is read.
// lockstep: run --block 32 --grid 1 --arg 'out=u32[32]'
__global__ void k(unsigned *out) {
    __shared__ unsigned s[32];
    int t = threadIdx.x;
    unsigned char *bytes = reinterpret_cast<unsigned char *>(&s[t]);
    for (int i = 0; i < 3; i++)
        bytes[i] = t;
    out[t] = s[t] + 1; //~ uninitialised-read
}
