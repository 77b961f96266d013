// Block 1 feeds block 0. The user says that there is one block.
// lockstep: check --only deadlock --block 32 --grid 1 --arg 'flag=i32[1]' --arg 'out=i32[1]'
__global__ void k(volatile int *flag, int *out) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 1)
        *flag = 1;
    else
        while (*flag == 0) { //~ deadlock
        }
    out[blockIdx.x] = 1;
}
