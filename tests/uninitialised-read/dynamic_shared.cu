// The upper half of dynamic shared memory is used without being written.
// lockstep: run --block 32 --grid 1 --shared 256 --arg 'out=i32[32]'
__global__ void k(int *out) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    out[t] = s[t] + s[t + 32]; //~ uninitialised-read
}
