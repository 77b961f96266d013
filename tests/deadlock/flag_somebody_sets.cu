// The last block sets it: clean, although the first one waits.
// lockstep: run --block 32 --grid 3 --arg 'flag=i32[1]' --arg 'out=i32[3]'
__global__ void k(volatile int *flag, int *out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 2)
            *flag = 1;
        else
            while (*flag == 0) {
            }
        out[blockIdx.x] = 1;
    }
}
