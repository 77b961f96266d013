// Between warps of one block it is enough: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[1]'
__global__ void k(int *out) {
    __shared__ int data;
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;
        __threadfence_block();
        flag = 1;
    } else if (threadIdx.x == 32) {
        while (flag == 0) {
        }
        __threadfence_block();
        *out = data;
    }
}
