// The same increments without atomics. All 64 inputs fall into bin 0.
// lockstep: run --block 64 --grid 1 --arg 'in=i32[64]' --arg 'hist=i32[16]'
__global__ void k(const int *in, int *hist) {
    hist[in[threadIdx.x] & 15]++; //~ data-race
}
