// What Lockstep says of a correct kernel does not depend on the scheduling.
// lockstep[independent]: run --block 32 --grid 1 --arg 'out=i32[32]'
// lockstep[warp]: run --block 32 --grid 1 --arg 'out=i32[32]' --scheduling lockstep
__global__ void k(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t & 1)
        s[t] = 1;
    else
        s[t] = 2;
    __syncwarp();
    out[t] = s[t ^ 1];
}
