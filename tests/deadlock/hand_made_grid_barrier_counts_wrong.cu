// It waits for one block more than there are.
// lockstep: run --block 32 --grid 4 --arg 'count=i32[1]' --arg 'out=i32[4]'
__global__ void k(int *count, int *out) {
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) <= gridDim.x) { //~ deadlock
        }
        out[blockIdx.x] = 1;
    }
}
