// __syncwarp orders the lanes of a warp under either scheduling.
// lockstep[independent]: run --block 32 --grid 1 --arg 'out=i32[32]'
// lockstep[warp]: run --block 32 --grid 1 --arg 'out=i32[32]' --scheduling lockstep
__global__ void k(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    out[t] = s[t ^ 1];
}
