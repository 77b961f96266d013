// Three unordered accesses of one word: the report must show for each the value that it itself stored
// (5, and 9), not what the word held later.
// lockstep: run --block 96 --grid 1 --arg 'out=i32[1]'
__global__ void k(int *out) {
    if (threadIdx.x == 0)
        *out = 5; //~ data-race
    if (threadIdx.x == 32)
        atomicAdd(out, 1); //~ data-race
    if (threadIdx.x == 64)
        *out = 9; //~ data-race
}
