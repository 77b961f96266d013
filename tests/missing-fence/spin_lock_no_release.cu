// A fence after the acquire, none before the release.
// lockstep: run --block 32 --grid 4 --arg 'lock=i32[1]' --arg 'count=i32[1]'
__global__ void k(int *lock, int *count) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *count += blockIdx.x; //~ missing-fence
        atomicExch(lock, 0);
    }
}
