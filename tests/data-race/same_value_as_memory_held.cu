// The atomic replaces 0 by 1, the plain write stores 0: different values, so not benign.
// lockstep: run --block 64 --grid 1 --arg 'flag=i32[1]'
__global__ void k(int *flag) {
    if (threadIdx.x == 0)
        *flag = 0; //~ data-race
    if (threadIdx.x == 32)
        atomicExch(flag, 1); //~ data-race
}
