// An exchange whose old value nobody uses writes without reading: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int last;
    atomicExch(&last, 7);
    __syncthreads();
    out[threadIdx.x] = last + 1;
}
