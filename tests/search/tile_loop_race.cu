// Tiles of a long row, one after the other, with no barrier before the next one is loaded: with a single tile nothing happens, but
// the loop is written for more. The host computes the grid from the length.
// lockstep: check --only data-race
#define TILE 64

__global__ void sums(const float *keys, float *out, int n) {
    __shared__ float tile[TILE];
    int t = threadIdx.x, row = blockIdx.x * TILE + t;
    float sum = 0;
    for (int base = 0; base < n; base += TILE) {
        tile[t] = base + t < n ? keys[base + t] : 0; //~ data-race
        __syncthreads();
        for (int j = 0; j < TILE && base + j < n; ++j) sum += tile[j] * row; //~ data-race
    }
    if (row < n) out[row] = sum;
}

void launch(const float *keys, float *out, int n) { sums<<<(n + TILE - 1) / TILE, TILE>>>(keys, out, n); }
