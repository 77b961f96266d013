// C = A * B, tile by tile through shared memory, for sizes that are no multiple of the tile.
#include <cuda_runtime.h>

#include "rowkit/kernels.cuh"

namespace rowkit {

template <class T, int TILE>
__global__ void gemm_tiled(const T *a, const T *b, T *c, int m, int n, int k) {
    __shared__ T tile_a[TILE][TILE], tile_b[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    T sum = 0;
    for (int start = 0; start < k; start += TILE) {
        tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : T(0);
        tile_b[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : T(0);
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    dim3 grid((n + 15) / 16, (m + 15) / 16);
    gemm_tiled<float, 16><<<grid, dim3(16, 16)>>>(a, b, c, m, n, k);
}

} // namespace rowkit
