// __threadfence_system is more than enough: clean.
// lockstep: run --block 32 --grid 2 --arg 'data=i32[1]' --arg 'flag=i32[1]' --arg 'out=i32[1]'
__global__ void k(int *data, int *flag, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence_system();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence_system();
        *out = *data;
    }
}
