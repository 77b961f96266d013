// Nothing of the array is ever written.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]' --arg n=0
__global__ void k(int *out, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < n)
        s[t] = t;
    __syncthreads();
    out[t] = s[t] * 2; //~ uninitialised-read
}
