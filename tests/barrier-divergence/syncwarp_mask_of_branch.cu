// The mask names exactly the lanes of the branch: clean.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    unsigned even = __ballot_sync(0xffffffff, t % 2 == 0);
    if (t % 2 == 0)
        __syncwarp(even);
    out[t] = t;
    __syncwarp();
}
