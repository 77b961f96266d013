// The second location says nothing of the order of the first.
// lockstep: run --block 32 --grid 4 --arg 'count=u32[1]' --arg 'flag=u32[1]'
__global__ void k(unsigned *count, unsigned *flag) {
    if (threadIdx.x > 0) return;
    if (blockIdx.x == 0) {
        atomicAdd(count, 1); //~ missing-fence
        atomicExch(flag, 1);
    } else if (blockIdx.x == 1 && atomicAdd(flag, 0) == 1) {
        *count = 0; //~ missing-fence
    }
}
