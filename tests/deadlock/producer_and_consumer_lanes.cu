// Lane 1 waits for lane 0 of the same warp, which stands behind the branch.
// lockstep[independent]: run --block 2 --grid 1 --arg 'flag=i32[1]' --arg 'out=i32[1]'
// lockstep[warp]: run --block 2 --grid 1 --arg 'flag=i32[1]' --arg 'out=i32[1]' --scheduling lockstep
__global__ void k(volatile int *flag, int *out) {
    if (threadIdx.x == 1) { //~[warp] deadlock
        while (*flag == 0) { //~[warp] deadlock
        }
        *out = 1;
    }
    if (threadIdx.x == 0)
        *flag = 1;
}
