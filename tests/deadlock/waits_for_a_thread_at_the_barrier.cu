// Warp 1 spins until warp 0 sets the flag, which it does only behind the barrier.
// lockstep: run --block 64 --grid 1 --arg 'flag=i32[1]' --arg 'out=i32[64]'
__global__ void k(volatile int *flag, int *out) {
    if (threadIdx.x == 32) {
        while (*flag == 0) { //~ deadlock
        }
    }
    __syncthreads(); //~ deadlock
    if (threadIdx.x == 0)
        *flag = 1;
    out[threadIdx.x] = 1;
}
