// One thread writes a word, another one of its bytes.
// lockstep: run --block 64 --grid 1 --arg 'out=u32[1]'
__global__ void k(unsigned *out) {
    if (threadIdx.x == 0)
        out[0] = 0x01020304; //~ data-race
    if (threadIdx.x == 32)
        ((unsigned char *)out)[2] = 9; //~ data-race
}
