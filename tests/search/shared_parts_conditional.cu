// lockstep: search
// Shared memory has two parts: a counter for each row, and behind them the numbers of the rows. A number beyond the rows
// leads into the second part, and only who fills the array knows how many rows there are. In shared_parts_race.cu a barrier
// is missing.
__global__ void count_rows(const int *row_of, int *counts, int rows) {
    extern __shared__ int parts[];
    int *counters = parts;
    int *numbers = parts + rows;
    for (int row = threadIdx.x; row < rows; row += blockDim.x) counters[row] = 0;
    numbers[threadIdx.x] = row_of[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    int row = numbers[blockDim.x - 1 - threadIdx.x]; //~ data-race warning
    atomicAdd(&counters[row], 1); //~ data-race warning //~ uninitialised-read warning
    __syncthreads();
    for (int row = threadIdx.x; row < rows; row += blockDim.x) atomicAdd(&counts[row], counters[row]);
}
