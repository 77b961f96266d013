// Two warps write different values to one element.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[32]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    out[t % 32] = t; //~ data-race
}
