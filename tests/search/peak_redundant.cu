// lockstep: search
// The greatest of each row of a 16x16 tile. A barrier ends the kernel, and nothing comes behind it; the others are needed.
// That in the loop is needed only because the contents let a thread replace its value. peak_fixed.cu is without the last.
__global__ void peak(const float *score, float *out) {
    __shared__ float best[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    best[y][x] = score[(blockIdx.x * 16 + y) * 16 + x];
    __syncthreads();
    for (int d = 8; d > 0; d /= 2) {
        if (x < d && best[y][x + d] > best[y][x]) best[y][x] = best[y][x + d];
        __syncthreads();
    }
    if (y == 0) out[blockIdx.x * 16 + x] = best[x][0];
    __syncthreads(); //~ redundant-barrier warning
}
