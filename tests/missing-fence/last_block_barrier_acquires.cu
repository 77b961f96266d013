// As in NVIDIA's sample: the fence before the ticket, and the block's barrier after it. Clean.
// lockstep: run --block 32 --grid 4 --arg 'part=i32[4]' --arg 'ticket=u32[1]' --arg 'out=i32[4]'
__global__ void k(int *part, unsigned *ticket, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        out[threadIdx.x] = part[threadIdx.x];
}
