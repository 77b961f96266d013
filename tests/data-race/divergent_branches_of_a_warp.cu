// Two paths of one branch: their order is not given even under lockstep scheduling.
// lockstep[independent]: run --block 32 --grid 1 --arg 'out=i32[32]'
// lockstep[warp]: run --block 32 --grid 1 --arg 'out=i32[32]' --scheduling lockstep
__global__ void k(int *out) {
    int t = threadIdx.x;
    if (t & 1)
        out[t] = t; //~ data-race
    else
        out[t + 1] = 2 * t + 100; //~ data-race
}
