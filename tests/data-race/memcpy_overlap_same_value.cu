// Copies of eight bytes each at steps of four that agree where they overlap: benign.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[65]' --arg 'in=i32[65]:iota'
__global__ void k(int *out, const int *in) {
    int t = threadIdx.x;
    memcpy(out + t, in + t, 8); //~ data-race warning
}
