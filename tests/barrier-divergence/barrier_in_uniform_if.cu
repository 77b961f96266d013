// All threads of a block take the same way, different blocks different ones: clean.
// lockstep: run --block 64 --grid 2 --arg 'out=i32[128]' --arg n=5
__global__ void k(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (n > 3 && blockIdx.x == 0)
        __syncthreads();
    else
        __syncthreads();
    out[blockIdx.x * 64 + t] = s[t ^ 32];
}
