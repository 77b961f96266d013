// lockstep: search
// As shared_parts_conditional.cu, but the rows are 64, no number leads beyond them, and numbers are read while they are
// written, whatever they are.
__global__ void count_rows(const int *row_of, int *counts, int n) {
    __shared__ int counters[64];
    __shared__ int numbers[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 64; k += blockDim.x) counters[k] = 0;
    __syncthreads();
    numbers[threadIdx.x] = i < n ? row_of[i] & 63 : 0; //~ data-race
    int row = numbers[blockDim.x - 1 - threadIdx.x]; //~ data-race
    atomicAdd(&counters[row], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 64; k += blockDim.x) atomicAdd(&counts[k], counters[k]);
}
