// Both halves of a warp free the block.
// lockstep: run --block 2 --grid 1 --arg 'out=i32[2]'
__global__ void k(int *out) {
    __shared__ int *p;
    if (threadIdx.x == 0)
        p = static_cast<int *>(malloc(8));
    __syncthreads();
    out[threadIdx.x] = 1;
    free(p); //~ use-after-free
}
