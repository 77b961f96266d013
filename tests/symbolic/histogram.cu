// Every bin is guarded, and bins are added to atomically.
// lockstep: check --block 32 --grid 1 --arg value=i32[32] --arg bins=i32[16]
__global__ void histogram(const int *value, int *bins) {
    __shared__ int s[16];
    if (threadIdx.x < 16) s[threadIdx.x] = 0;
    __syncthreads();
    int v = value[threadIdx.x];
    if (v >= 0 && v < 16) atomicAdd(&s[v], 1);
    __syncthreads();
    if (threadIdx.x < 16) bins[threadIdx.x] = s[threadIdx.x];
}
