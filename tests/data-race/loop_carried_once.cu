// The same kernel with one round only has no next write: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=1
__global__ void k(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        s[t] = sum + t * i;
        __syncthreads();
        sum += s[t ^ 32];
    }
    out[t] = sum;
}
