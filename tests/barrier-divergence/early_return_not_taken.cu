// With n as large as the block nobody returns early: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=64
__global__ void k(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = t;
    __syncthreads();
    out[t] = s[n - 1 - t];
}
