// A stencil in place: a block reads what its neighbour overwrites. Within the block a barrier
// stands between, between blocks nothing does.
// lockstep: run --block 64 --grid 2 --arg 'a=f32[128]:iota'
__global__ void k(float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i > 0 ? i - 1 : 0;
    float mean = 0.5f * (a[left] + a[i]); //~ data-race
    __syncthreads();
    a[i] = mean; //~ data-race
}
