// A __device__ variable is memory of the whole grid.
// lockstep: run --block 32 --grid 2 --arg 'in=i32[64]:iota'
__device__ int last;

__global__ void k(const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 32 == 7)
        last = in[i]; //~ data-race
}
