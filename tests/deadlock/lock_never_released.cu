// Block 0 keeps the lock.
// lockstep: run --block 1 --grid 2 --arg 'lock=i32[1]' --arg 'count=i32[1]'
__global__ void k(int *lock, int *count) {
    while (atomicCAS(lock, 0, 1) != 0) { //~ deadlock
    }
    atomicAdd(count, 1);
}
