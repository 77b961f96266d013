// lockstep: search
// Who is at an end stores as well: two blocks do.
__global__ void cheapest(const int *cost, int *sum, int width) {
    __shared__ int row[64];
    int t = threadIdx.x, x = blockIdx.x * 62 + t - 1;
    bool valid = x >= 0 && x < width;
    row[t] = valid ? cost[x] : 1 << 29;
    __syncthreads();
    int least = t > 0 ? min(row[t], row[t - 1]) : row[t];
    if (t < 63) least = min(least, row[t + 1]);
    if (valid) sum[x] = least + cost[width + x]; //~ data-race
}
