// The value is only moved on, but to global memory, where nobody can initialise it any more.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 32)
        s[t] = t;
    __syncthreads();
    out[t] = s[t]; //~ uninitialised-read
}
