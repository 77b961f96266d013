// The form that works on every device: the critical section is inside the loop. Clean.
// lockstep[independent]: run --block 4 --grid 1 --arg 'lock=i32[1]' --arg 'count=i32[1]'
// lockstep[warp]: run --block 4 --grid 1 --arg 'lock=i32[1]' --arg 'count=i32[1]' --scheduling lockstep
__global__ void k(int *lock, int *count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *count += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
