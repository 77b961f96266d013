// atomicAdd_block is atomic for its own block only.
// lockstep: run --block 32 --grid 2 --arg 'sum=i32[1]'
__global__ void k(int *sum) {
    atomicAdd_block(sum, 1); //~ data-race
}
