// lockstep: search
// No thread index at all: every thread adds to the same element. no_index_fixed.cu adds atomically.
__global__ void count_threads(int *total) {
    *total += 1; //~ data-race
}
