// A copy of four bytes from an odd offset touches the last byte of the neighbour's.
// lockstep: run --block 64 --grid 1 --arg 'out=u8[256]' --arg 'in=u32[64]:iota'
__global__ void k(unsigned char *out, const unsigned *in) {
    int t = threadIdx.x;
    memcpy(out + 3 * t, &in[t], 4); //~ data-race
}
