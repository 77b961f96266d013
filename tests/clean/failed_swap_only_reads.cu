// One thread takes the slot; the swaps of the others fail, store nothing, and so
// do not conflict with its plain read.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int slot;
    if (threadIdx.x == 0)
        slot = 7;
    __syncthreads();
    int mine = atomicCAS(&slot, threadIdx.x == 0 ? 3 : 5, 1);
    out[threadIdx.x] = mine + slot;
}
