// A word and the byte right behind it: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=u32[2]'
__global__ void k(unsigned *out) {
    if (threadIdx.x == 0)
        out[0] = 0x01020304;
    if (threadIdx.x == 32)
        ((unsigned char *)out)[4] = 9;
}
