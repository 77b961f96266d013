// Each block has its own counter: clean.
// lockstep: run --block 64 --grid 2 --arg 'sum=i32[2]'
__global__ void k(int *sum) {
    atomicAdd_block(&sum[blockIdx.x], 1);
}
