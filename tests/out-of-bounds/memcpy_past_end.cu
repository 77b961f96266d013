// The last copy is two bytes too long.
// lockstep: run --block 4 --grid 1 --arg 'a=u8[40]' --arg 'b=u8[38]'
__global__ void k(const unsigned char *a, unsigned char *b) {
    memcpy(b + 10 * threadIdx.x, a + 10 * threadIdx.x, 10); //~ out-of-bounds
}
