// Before Volta the lane that has the lock waits for the lanes that spin; since then it goes on.
// lockstep[independent]: run --block 4 --grid 1 --arg 'lock=i32[1]' --arg 'count=i32[1]'
// lockstep[warp]: run --block 4 --grid 1 --arg 'lock=i32[1]' --arg 'count=i32[1]' --scheduling lockstep
__global__ void k(int *lock, int *count) {
    while (atomicCAS(lock, 0, 1) != 0) { //~[warp] deadlock
    }
    __threadfence();
    *count += 1; //~[warp] deadlock
    __threadfence();
    atomicExch(lock, 0);
}
