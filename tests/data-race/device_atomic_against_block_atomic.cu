// One side's scope is too small, so the two are not atomic with respect to each other.
// lockstep: run --block 32 --grid 2 --arg 'sum=i32[1]'
__global__ void k(int *sum) {
    if (blockIdx.x == 0)
        atomicAdd(sum, 1); //~ data-race
    else if (threadIdx.x == 0)
        atomicAdd_block(sum, 1); //~ data-race
}
