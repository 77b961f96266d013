// --block 64 --grid 1
// Warps in lockstep.

__global__ void clean_warp_reduction(int *out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        if (t < 16) s[t] += s[t + 16];
        if (t < 8) s[t] += s[t + 8];
    }
}
__global__ void maybe_two_warps(int *out) {
    __shared__ volatile int s[128];
    int t = threadIdx.x;
    s[t] = s[t + 32];
}
__global__ void maybe_same_instruction(int *out) { out[threadIdx.x / 2] = threadIdx.x; }
__global__ void maybe_parted(int *out) {
    if (threadIdx.x & 1) out[threadIdx.x] = 1; else out[threadIdx.x + 1] = 2;
}
// Lanes see what other lanes have written, without a race.
__global__ void maybe_written_by_other_lanes(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    int before = s[t ^ 1];
    s[t] = 5;
    int after = s[t ^ 1];
    if (before != after) out[0] = t;
}
__global__ void clean_not_written_again(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = out[1000 + t];
    int before = s[t ^ 1], after = s[t ^ 1];
    if (before != after) out[0] = t;
}
