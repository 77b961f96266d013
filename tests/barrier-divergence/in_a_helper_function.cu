// The barrier is in a function that only some threads call.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__device__ void settle() {
    __syncthreads(); //~ barrier-divergence
}

__global__ void k(int *out) {
    int t = threadIdx.x;
    if (t > 9)
        settle();
    out[t] = t;
    __syncthreads(); //~ barrier-divergence
}
