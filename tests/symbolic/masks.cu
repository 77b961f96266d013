// Threads that a mask leaves out have written nothing.
// lockstep[given]: check --block 32 --grid 1 --symbolic --arg mask=i32[1] --arg out=i32[32]
// lockstep[any]: check --block 32 --grid 1 --symbolic --arg mask=i32[1]:symbolic --arg out=i32[32]
__global__ void alike(const unsigned *mask, int *out) {
    __shared__ int s[32];
    if (mask[0] >> threadIdx.x & 1) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (mask[0] >> threadIdx.x & 1) out[threadIdx.x] = s[threadIdx.x] + 1;
}

__global__ void turned(const unsigned *mask, int *out) {
    __shared__ int s[32];
    if (mask[0] >> threadIdx.x & 1) s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (mask[0] >> (31 - threadIdx.x) & 1) out[threadIdx.x] = s[threadIdx.x] + 1; //~[any] uninitialised-read //~[given] uninitialised-read warning
}
