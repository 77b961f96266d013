// Copies of eight bytes each at steps of four, with different values where they overlap.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[65]' --arg 'in=i32[130]:iota'
__global__ void k(int *out, const int *in) {
    int t = threadIdx.x;
    memcpy(out + t, in + 2 * t, 8); //~ data-race
}
