// Copied within shared memory first, then used: the use is of what the copy brought.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s[64], r[64];
    int t = threadIdx.x;
    if (t < 32)
        s[t] = t;
    __syncthreads();
    r[63 - t] = s[t];
    __syncthreads();
    out[t] = 3 * r[t]; //~ uninitialised-read
}
