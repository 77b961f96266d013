// lockstep: run --block 32 --grid 2 --arg 'flag=i32[1]' --arg 'out=i32[1]'
__global__ void k(volatile int *flag, int *out) {
    if (threadIdx.x == 0) {
        while (*flag == 0) { //~ deadlock
        }
        *out = 1;
    }
}
