// lockstep: search
// Every thread adds to the same element, atomically.
__global__ void count_threads(int *total) {
    atomicAdd(total, 1);
}
