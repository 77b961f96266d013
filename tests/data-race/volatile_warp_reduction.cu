// Warp-synchronous style with volatile: right before Volta, racy since.
// lockstep[independent]: run --block 8 --grid 1 --arg 'in=i32[16]:iota' --arg 'out=i32[1]'
// lockstep[warp]: run --block 8 --grid 1 --arg 'in=i32[16]:iota' --arg 'out=i32[1]' --scheduling lockstep
__global__ void k(const int *in, int *out) {
    __shared__ volatile int s[16];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 8] = in[t + 8];
    __syncthreads();
    s[t] += s[t + 8]; //~[independent] data-race
    s[t] += s[t + 4]; //~[independent] data-race
    s[t] += s[t + 2]; //~[independent] data-race
    s[t] += s[t + 1]; //~[independent] data-race
    if (t == 0)
        *out = s[0];
}
