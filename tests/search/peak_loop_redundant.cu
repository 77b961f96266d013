// lockstep: search
// Tiles of scores are staged one after the other, and each thread doubles what it has staged itself: the barrier in
// between orders nothing, the two that follow do. peak_loop_fixed.cu is without that one.
__global__ void peak_of_tiles(const float *score, float *out, int tiles) {
    __shared__ float stage[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float best = -1;
    for (int k = 0; k < tiles; k++) {
        stage[y][x] = score[((blockIdx.x * tiles + k) * 16 + y) * 16 + x];
        __syncthreads(); //~ redundant-barrier warning
        stage[y][x] *= 2;
        __syncthreads();
        for (int i = 0; i < 16; i++) best = fmaxf(best, stage[x][i]);
        __syncthreads();
    }
    out[(blockIdx.x * 16 + y) * 16 + x] = best;
}
