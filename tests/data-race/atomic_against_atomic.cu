// Atomics do not race with each other.
// lockstep: run --block 64 --grid 4 --arg 'sum=i32[1]' --arg 'most=i32[1]'
__global__ void k(int *sum, int *most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, i);
    atomicMax(most, i);
}
