// The block is given, and the argument has nothing to do with it.
// lockstep: check --skip redundant-barrier
//--blockDim=[64,1] --gridDim=2
__global__ void k(int *o, int n) {
    __shared__ int s[64];
    s[threadIdx.x + 1] = threadIdx.x; //~ out-of-bounds
    __syncthreads();
    o[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x + 1] + n; //~ out-of-bounds
}
