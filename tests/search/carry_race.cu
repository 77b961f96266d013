// lockstep: search
// Each row of a block walks along its line in tiles. The first thread of a row reads the key that the tile before ended
// with while the last thread already stores that of this tile. carry_fixed.cu has a barrier between the two.
__global__ void run_starts(const int *keys, int *starts, int tiles) {
    __shared__ int tile[1024], before[1024];
    int x = threadIdx.x, y = threadIdx.y, w = blockDim.x;
    int line = (blockIdx.x * blockDim.y + y) * tiles * w;
    if (x == w - 1) before[y] = -1;
    for (int k = 0; k < tiles; k++) {
        tile[y * w + x] = keys[line + k * w + x];
        __syncthreads();
        int left = x == 0 ? before[y] : tile[y * w + x - 1]; //~ data-race
        starts[line + k * w + x] = tile[y * w + x] != left;
        if (x == w - 1) before[y] = tile[y * w + x]; //~ data-race
        __syncthreads();
    }
}
