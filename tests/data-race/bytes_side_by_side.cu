// Neighbouring bytes of one word belong to different threads: clean.
// lockstep: run --block 64 --grid 2 --arg 'out=u8[128]'
__global__ void k(unsigned char *out) {
    __shared__ unsigned char s[64];
    int t = threadIdx.x;
    s[t] = t;
    out[blockIdx.x * 64 + t] = s[t] + 1;
}
