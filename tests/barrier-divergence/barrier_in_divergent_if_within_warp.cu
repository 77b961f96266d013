// The same, and the branch divides a warp.
// lockstep[independent]: run --block 32 --grid 1 --arg 'out=i32[32]'
// lockstep[warp]: run --block 32 --grid 1 --arg 'out=i32[32]' --scheduling lockstep
__global__ void k(int *out) {
    int t = threadIdx.x;
    if (t & 1)
        __syncthreads(); //~ barrier-divergence
    out[t] = t;
    __syncthreads(); //~ barrier-divergence
    out[t] += 1;
}
