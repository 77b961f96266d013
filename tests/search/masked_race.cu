// There are 4096 places for all threads.
__global__ void k(int *o) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i & 0xfff] = i; //~ data-race warning
}
