// The write comes after the barrier, for certain too late: the read is of nothing.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    out[t] = 2 * s[63 - t]; //~ uninitialised-read
    __syncthreads();
    s[t] = t;
    __syncthreads();
    out[t] += s[63 - t];
}
