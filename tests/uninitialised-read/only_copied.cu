// The same, but the value is only moved on within the block: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s[64], r[64];
    int t = threadIdx.x;
    if (t < 32)
        s[t] = t;
    __syncthreads();
    r[t] = s[t];
    __syncthreads();
    if (t < 32)
        out[t] = r[t];
}
