// lockstep: search
// A thread for each row: its elements begin where one entry of an array says, and end where the next one does. Rows overlap
// only where the entries do not ascend. bounds_race.cu counts by the elements' values.
__global__ void count(const int *begin, const int *keys, int *hits, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int j = begin[row]; j < begin[row + 1]; j++)
        if (keys[j] & 1) hits[j]++; //~ data-race warning
}
