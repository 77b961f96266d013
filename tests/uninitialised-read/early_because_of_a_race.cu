// The read may come before the write: that is the race and nothing else.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= 32)
        s[t] = t; //~ data-race
    if (t < 32)
        out[t] = 2 * s[t + 32]; //~ data-race
}
