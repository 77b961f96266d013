// A break that all threads take together: clean.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]' --arg n=9
__global__ void k(int *out, int n) {
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) {
        if (__syncthreads_or(t == 7 && i == 4))
            break;
        out[t] += i;
    }
}
