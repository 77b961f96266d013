// lockstep: check --only data-race
// A constant that a block's number is taken modulo, or is compared with, is a number of blocks to go beyond.

__global__ void slots(int *slot) {
    if (threadIdx.x == 0) slot[blockIdx.x % 1024] = blockIdx.x; //~ data-race warning
}

__global__ void rows(int *out) {
    out[(blockIdx.x & 511) * blockDim.x + threadIdx.x] = blockIdx.x; //~ data-race warning
}

__global__ void last(int *out) {
    int row = blockIdx.x < 600 ? blockIdx.x : 600;
    out[row * blockDim.x + threadIdx.x] = blockIdx.x; //~ data-race warning
}

// Blocks beyond the last slot do nothing.
__global__ void guarded(int *slot) {
    if (threadIdx.x == 0 && blockIdx.x < 1024) slot[blockIdx.x % 1024] = blockIdx.x;
}
