// An unwritten element is used as an index (masked, so that it stays within bounds).
// lockstep: run --block 32 --grid 1 --arg 'a=i32[32]:iota' --arg 'out=i32[32]' --arg n=16
__global__ void k(const int *a, int *out, int n) {
    __shared__ int at[32];
    int t = threadIdx.x;
    if (t < n)
        at[t] = 31 - t;
    __syncthreads();
    out[t] = a[at[t] & 31]; //~ uninitialised-read
}
