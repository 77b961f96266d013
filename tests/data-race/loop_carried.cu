// The barrier stands between write and read, but not between the read and the next round's write.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=3
__global__ void k(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        s[t] = sum + t * i; //~ data-race
        __syncthreads();
        sum += s[t ^ 32]; //~ data-race
    }
    out[t] = sum;
}
