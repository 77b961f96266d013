// The counter is never set to zero.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[1]'
__global__ void k(int *out) {
    __shared__ int count;
    atomicAdd(&count, 1); //~ uninitialised-read
    __syncthreads();
    if (threadIdx.x == 0)
        *out = count;
}
