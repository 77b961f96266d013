// Block 0 releases the lock by a plain store: that races with the other block's atomic and orders nothing.
// lockstep: run --block 32 --grid 2 --arg 'lock=i32[1]' --arg 'count=i32[1]'
__global__ void k(int *lock, int *count) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) { //~ data-race
        }
        __threadfence();
        *count += blockIdx.x; //~ data-race
        __threadfence();
        if (blockIdx.x == 0)
            *lock = 0; //~ data-race
    }
}
