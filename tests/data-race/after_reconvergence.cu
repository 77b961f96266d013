// One lane writes on a path of its own; the others read after the paths have met again. Before
// Volta the common instruction stream orders that, since then nothing does.
// lockstep[independent]: run --block 32 --grid 1 --arg 'out=i32[32]'
// lockstep[warp]: run --block 32 --grid 1 --arg 'out=i32[32]' --scheduling lockstep
__global__ void k(volatile int *out) {
    __shared__ volatile int s;
    int t = threadIdx.x;
    if (t == 0)
        s = 42; //~[independent] data-race
    out[t] = s; //~[independent] data-race
}
