// Threads beyond n have returned before the barrier: hardware since Volta counts them as arrived.
// lockstep[independent]: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=40
// lockstep[warp]: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=40 --scheduling lockstep
__global__ void k(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n) //~[independent] barrier-divergence warning //~[warp] barrier-divergence
        return;
    s[t] = t;
    __syncthreads(); //~[independent] barrier-divergence warning //~[warp] barrier-divergence
    out[t] = s[n - 1 - t];
}
