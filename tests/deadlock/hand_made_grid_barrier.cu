// Blocks count themselves in and wait for the rest: clean, all blocks being resident.
// lockstep: run --block 32 --grid 4 --arg 'count=i32[1]' --arg 'a=i32[4]' --arg 'out=i32[4]'
__global__ void k(int *count, int *a, int *out) {
    if (threadIdx.x == 0) {
        a[blockIdx.x] = blockIdx.x;
        __threadfence();
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < gridDim.x) {
        }
        __threadfence();
        out[blockIdx.x] = a[3 - blockIdx.x];
    }
}
