// Each thread has its own element of a __device__ array: clean.
// lockstep: run --block 32 --grid 2 --arg 'in=i32[64]:iota'
__device__ int seen[64];

__global__ void k(const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    seen[i] += in[i];
}
