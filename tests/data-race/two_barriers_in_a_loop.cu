// Barriers on both sides, in a loop that all threads run equally often: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=5
__global__ void k(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        s[t] = sum + t * i;
        __syncthreads();
        sum += s[t ^ 32];
        __syncthreads();
    }
    out[t] = sum;
}
