// --block 64 --grid 1

__global__ void clean_syncwarp(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    out[t] = s[t ^ 1];
}
__global__ void maybe_syncwarp_across_warps(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    out[t] = s[t ^ 32];
}
__global__ void maybe_syncwarp_of_few(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t & 1) __syncwarp();
    out[t] = s[t ^ 1];
}
__global__ void clean_shuffle(int *out) {
    int v = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);
    out[threadIdx.x] = v;
}
__global__ void maybe_shuffled_index(int *out) {
    int v = __shfl_sync(0xffffffffu, threadIdx.x, 0);
    out[v] = threadIdx.x;
}
