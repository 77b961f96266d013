// Prefix sums of a block, with or without the first barrier.
// launch[bug]: --kernel scan_without --block 64 --grid 1 --arg 'in=i32[64]:iota' --arg 'out=i32[64]'
// launch[normal]: --kernel scan_with --block 64 --grid 1 --arg 'in=i32[64]:iota' --arg 'out=i32[64]'
// launch[large]: --kernel scan_with --block 64 --grid 2097152 --arg 'in=i32[134217728]:iota' --arg 'out=i32[134217728]'
template <bool barrier> __device__ void scan(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];  //~ data-race
    if (barrier) __syncthreads();
    for (int offset = 1; offset < 64; offset *= 2) {
        int other = t >= offset ? s[t - offset] : 0;  //~ data-race
        __syncthreads();
        s[t] += other;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = s[t];
}
__global__ void scan_with(const int *in, int *out) { scan<true>(in, out); }
__global__ void scan_without(const int *in, int *out) { scan<false>(in, out); }
