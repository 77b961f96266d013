// Without the fence the ticket may overtake the partial sum.
// lockstep: run --block 32 --grid 4 --arg 'part=i32[4]' --arg 'ticket=u32[1]' --arg 'out=i32[4]'
__global__ void k(int *part, unsigned *ticket, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1; //~ missing-fence
        last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        out[threadIdx.x] = part[threadIdx.x]; //~ missing-fence
}
