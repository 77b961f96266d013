// The same with a guard: clean.
// lockstep: run --block 64 --grid 1 --arg 'a=i32[64]:iota' --arg 'out=i32[64]' --arg n=64
__global__ void k(const int *a, int *out, int n) {
    int t = threadIdx.x;
    out[t] = t + 1 < n ? a[t + 1] : 0;
}
