// Fences written as PTX count as well: clean.
// lockstep: run --block 32 --grid 2 --arg 'data=i32[1]' --arg 'flag=i32[1]' --arg 'out=i32[1]'
__global__ void k(int *data, volatile int *flag, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 42;
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        asm volatile("membar.gl;" ::: "memory");
        *out = *data;
    }
}
