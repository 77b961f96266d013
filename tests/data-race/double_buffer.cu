// Two buffers taken in turns need one barrier a round: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=5
__global__ void k(int *out, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        s[i & 1][t] = sum + t * i;
        __syncthreads();
        sum += s[i & 1][t ^ 32];
    }
    out[t] = sum;
}
