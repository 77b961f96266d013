// lockstep: search
// One barrier before the tile is read, one before it is replaced: the second orders only against the next round.
__global__ void peak_of_tiles(const float *score, float *out, int tiles) {
    __shared__ float stage[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float best = -1;
    for (int k = 0; k < tiles; k++) {
        stage[y][x] = score[((blockIdx.x * tiles + k) * 16 + y) * 16 + x];
        stage[y][x] *= 2;
        __syncthreads();
        for (int i = 0; i < 16; i++) best = fmaxf(best, stage[x][i]);
        __syncthreads();
    }
    out[(blockIdx.x * 16 + y) * 16 + x] = best;
}
