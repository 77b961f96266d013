// lockstep: search
// As peak_redundant.cu, but the barrier too many stands between a thread's first value and its scan of a row of any width:
// both touch only its own cell. peak_init_fixed.cu is without it.
__global__ void peak_of_rows(const float *score, float *out, int width) {
    __shared__ float best[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    best[y][x] = -1;
    __syncthreads(); //~ redundant-barrier warning
    for (int k = x; k < width; k += 16) {
        float v = score[(blockIdx.x * 16 + y) * width + k];
        if (v > best[y][x]) best[y][x] = v;
    }
    __syncthreads();
    if (y == 0)
        for (int k = 1; k < 16; k++) best[x][0] = fmaxf(best[x][0], best[x][k]);
    __syncthreads();
    if (x == 0) out[blockIdx.x * 16 + y] = best[y][0];
}
