// Odd threads wait once more in the loop, while the even ones wait behind it.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    for (int i = 0; i < 2 + t % 2; i++) {
        out[t] += i;
        __syncthreads(); //~ barrier-divergence
    }
    __syncthreads(); //~ barrier-divergence
}
