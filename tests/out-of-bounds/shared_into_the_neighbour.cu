// Memory behind a is b's: seen all the same.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg d=4
__global__ void k(int *out, int d) {
    __shared__ int a[64], b[64];
    int t = threadIdx.x;
    a[t] = t;
    b[t] = -t;
    __syncthreads();
    out[t] = a[t + d] + b[t]; //~ out-of-bounds
}
