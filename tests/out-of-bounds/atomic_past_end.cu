// Key 16 has no bin.
// lockstep: run --block 32 --grid 1 --arg 'bins=i32[16]'
__global__ void k(int *bins) {
    atomicAdd(&bins[threadIdx.x % 17], 1); //~ out-of-bounds
}
