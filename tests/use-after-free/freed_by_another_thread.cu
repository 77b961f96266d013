// Thread 0 allots and frees for all: too early in one kernel, behind a barrier in the other.
// lockstep[early]: run --kernel early --block 64 --grid 1 --arg 'out=i32[64]'
// lockstep[late]: run --kernel late --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void early(int *out) {
    __shared__ int *p;
    if (threadIdx.x == 0) {
        p = static_cast<int *>(malloc(4));
        *p = 7;
        free(p); //~[early] use-after-free
    }
    __syncthreads();
    out[threadIdx.x] = *p; //~[early] use-after-free
}

__global__ void late(int *out) {
    __shared__ int *p;
    if (threadIdx.x == 0) {
        p = static_cast<int *>(malloc(4));
        *p = 7;
    }
    __syncthreads();
    out[threadIdx.x] = *p;
    __syncthreads();
    if (threadIdx.x == 0)
        free(p);
}
