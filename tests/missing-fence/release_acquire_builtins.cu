// The operations themselves release and acquire: clean without fences.
// lockstep: run --block 32 --grid 2 --arg 'data=i32[1]' --arg 'flag=i32[1]' --arg 'out=i32[1]'
__global__ void k(int *data, int *flag, int *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 42;
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    } else {
        while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
        }
        *out = *data;
    }
}
