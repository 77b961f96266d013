// A shuffle exchanges registers; it does not order memory.
// lockstep[independent]: run --block 32 --grid 1 --arg 'out=i32[32]'
// lockstep[warp]: run --block 32 --grid 1 --arg 'out=i32[32]' --scheduling lockstep
__global__ void k(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; //~[independent] data-race
    int other = __shfl_xor_sync(0xffffffff, t, 1);
    out[t] = s[other]; //~[independent] data-race
}
