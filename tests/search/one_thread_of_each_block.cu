// Each block has an element, and no thread is told from another.
__global__ void k(int *o) {
    o[blockIdx.x] += 1; //~ data-race warning
}
