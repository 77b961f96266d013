// n is no multiple of the block.
// lockstep: run --block 64 --grid 2 --arg 'a=f32[100]'
__global__ void k(float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = 1.0f; //~ out-of-bounds
}
