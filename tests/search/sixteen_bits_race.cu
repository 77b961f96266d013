// The index wraps after 65,536 threads.
__global__ void k(int *o) {
    unsigned short i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = blockIdx.x; //~ data-race warning
}
