// lockstep: search
// Blocks of 64 that overlap by two: those at both ends only load. Between two blocks lie 62.
__global__ void cheapest(const int *cost, int *sum, int width) {
    __shared__ int row[64];
    int t = threadIdx.x, x = blockIdx.x * 62 + t - 1;
    bool valid = x >= 0 && x < width;
    row[t] = valid ? cost[x] : 1 << 29;
    __syncthreads();
    if (valid && t > 0 && t < 63) sum[x] = min(row[t], min(row[t - 1], row[t + 1])) + cost[width + x];
}
