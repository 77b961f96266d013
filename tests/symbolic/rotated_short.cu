// The index wraps at 32, and there are 31 elements.
// lockstep: check --block 32 --grid 2 --symbolic --skip redundant-barrier --arg shift=i32[2]:symbolic --arg out=i32[64]
__global__ void rotated(const int *shift, int *out) {
    __shared__ int s[31];
    s[(threadIdx.x + shift[blockIdx.x]) & 31] = threadIdx.x; //~ out-of-bounds
    __syncthreads();
    if (threadIdx.x < 31) out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}
