// Reads the half that is being written.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=4
__global__ void k(int *out, int n) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    s[0][t] = t;
    s[1][t] = t;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        s[i & 1][t] = i + t;      //~ data-race
        sum += s[i & 1][t ^ 32]; //~ data-race
        __syncthreads();
    }
    out[t] = sum;
}
