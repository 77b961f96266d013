// Neither does a vote.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]'
__global__ void k(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; //~ data-race
    if (__any_sync(0xffffffff, t == 3))
        out[t] = s[31 - t]; //~ data-race
}
