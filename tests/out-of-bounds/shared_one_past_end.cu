// Thread 63 writes s[64].
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t + 1] = t; //~ out-of-bounds
    __syncthreads();
    out[t] = t > 0 ? s[t] : 0;
}
