// Without an index, but right for any number of threads.
__global__ void k(int *o) {
    atomicAdd(o, 1);
}
