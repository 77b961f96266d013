// A swap finds out about a wrong guess, but not about a plain store.
// lockstep: run --block 32 --grid 1 --arg 'best=i32[1]' --arg 'in=i32[64]:iota'
__global__ void k(int *best, const int *in) {
    int i = threadIdx.x;
    if (i == 0) {
        *best = -1; //~ data-race //~ data-race
        return;
    }
    int old = *best; //~ data-race
    while (in[i] > old) {
        int seen = atomicCAS(best, old, in[i]); //~ data-race
        if (seen == old) break;
        old = seen;
    }
}
