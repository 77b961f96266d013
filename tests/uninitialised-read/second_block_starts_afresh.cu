// Shared memory does not live from block to block: only block 0 writes it.
// lockstep: run --block 32 --grid 2 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (blockIdx.x == 0)
        s[t] = t;
    out[blockIdx.x * 32 + t] = s[t] + 1; //~ uninitialised-read
}
