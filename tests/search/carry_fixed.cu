// lockstep: search
// The key that a tile ended with is stored once every thread has read that of the tile before.
__global__ void run_starts(const int *keys, int *starts, int tiles) {
    __shared__ int tile[1024], before[1024];
    int x = threadIdx.x, y = threadIdx.y, w = blockDim.x;
    int line = (blockIdx.x * blockDim.y + y) * tiles * w;
    if (x == w - 1) before[y] = -1;
    for (int k = 0; k < tiles; k++) {
        tile[y * w + x] = keys[line + k * w + x];
        __syncthreads();
        int left = x == 0 ? before[y] : tile[y * w + x - 1];
        starts[line + k * w + x] = tile[y * w + x] != left;
        __syncthreads();
        if (x == w - 1) before[y] = tile[y * w + x];
    }
}
