// What is read is not what the swap checks: the other element may have changed.
// lockstep: run --block 32 --grid 1 --arg 'sum=i32[2]'
__global__ void k(int *sum) {
    if (threadIdx.x == 0) {
        atomicAdd(&sum[1], 1); //~ data-race
        return;
    }
    int old = sum[1]; //~ data-race
    atomicCAS(&sum[0], old, old + 1);
}
