// lockstep: check
// The last block reads what the others have written, after its ticket: without a fence behind the ticket, the reads may be
// done before it.
__global__ void sums(int *part, unsigned *ticket, int *out) {
    if (threadIdx.x != 0) return;
    part[blockIdx.x] = blockIdx.x + 1; //~ missing-fence
    __threadfence();
    if (atomicAdd(ticket, 1) == gridDim.x - 1) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += part[i]; //~ missing-fence
        *out = sum;
    }
}

__global__ void right(int *part, unsigned *ticket, int *out) {
    if (threadIdx.x != 0) return;
    part[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    if (atomicAdd(ticket, 1) == gridDim.x - 1) {
        __threadfence();
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += part[i];
        *out = sum;
    }
}
