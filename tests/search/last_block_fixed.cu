// lockstep: search
// Every thread leaves a partial result, and one of each block fences and takes a ticket; the block with the last ticket
// adds all up. Within a block nothing needs the first barrier, but it orders all stores of the block before its ticket.
__global__ void total(const int *__restrict__ in, int *__restrict__ part, int *__restrict__ out, unsigned *__restrict__ ticket) {
    __shared__ bool last;
    int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
    part[i] = in[i] * in[i];
    __syncthreads();
    if (t == 0) {
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int k = t; k < gridDim.x * size; k += size) sum += part[k];
        out[t] = sum;
    }
}
