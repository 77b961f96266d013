// __syncthreads is for one block; block 1 reads what block 0 writes.
// lockstep: run --block 32 --grid 2 --arg 'a=i32[64]' --arg 'out=i32[64]'
__global__ void k(int *a, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i; //~ data-race
    __syncthreads();
    out[i] = a[i ^ 32]; //~ data-race
}
