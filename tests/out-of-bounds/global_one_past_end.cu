// The last thread reads one element too far.
// lockstep: run --block 64 --grid 1 --arg 'a=i32[64]:iota' --arg 'out=i32[64]'
__global__ void k(const int *a, int *out) {
    int t = threadIdx.x;
    out[t] = a[t + 1]; //~ out-of-bounds
}
