// A plain read of a counter that others still add to.
// lockstep: run --block 64 --grid 1 --arg 'sum=i32[1]' --arg 'out=i32[64]'
__global__ void k(int *sum, int *out) {
    int t = threadIdx.x;
    if (t < 32)
        atomicAdd(sum, 1); //~ data-race
    else
        out[t] = *sum; //~ data-race
}
