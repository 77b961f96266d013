// The same without a barrier behind the loop: the even threads have returned.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    for (int i = 0; i < 2 + t % 2; i++) { //~ barrier-divergence warning
        out[t] += i;
        __syncthreads(); //~ barrier-divergence warning
    }
}
