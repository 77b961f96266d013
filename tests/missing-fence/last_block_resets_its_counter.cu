// The counter has one order of its own: whoever has counted to the end may reset it, fence or not.
// lockstep: run --block 32 --grid 4 --arg 'out=i32[1]'
__device__ unsigned arrived;

__global__ void k(int *out) {
    if (threadIdx.x == 0 && atomicAdd(&arrived, 1) == gridDim.x - 1) {
        arrived = 0;
        *out = 1;
    }
}
