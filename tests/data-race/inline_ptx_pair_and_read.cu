// Adding to both halves is atomic; reading them beside that is not.
// lockstep: run --block 64 --grid 1 --arg 'sums=u32[1]' --arg 'out=u32[64]'
__device__ void add_pair(unsigned *at, unsigned pair) {
    asm volatile("{ red.add.noftz.f16x2 [%0],%1; }" ::"l"(at), "r"(pair) : "memory"); //~ data-race //~ missing-fence
}

__global__ void k(unsigned *sums, unsigned *out) {
    add_pair(sums, 0x3c003c00);
    out[threadIdx.x] = *sums; //~ data-race //~ missing-fence
}
