// An inclusive scan of each block, double buffered, with the blocks' totals beside it.
#include <cuda_runtime.h>

#include "rowkit/kernels.cuh"

namespace rowkit {

template <class T, int BLOCK>
__global__ void __launch_bounds__(BLOCK) scan_block(const T *in, T *out, T *totals, int n) {
    __shared__ T buffer[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    int from = 0;
    buffer[from][t] = i < n ? in[i] : T(0);
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        T value = buffer[from][t];
        if (t >= step) value += buffer[from][t - step];
        buffer[1 - from][t] = value;
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[from][t];
    if (t == BLOCK - 1) totals[blockIdx.x] = buffer[from][t];
}

void scan_blocks(const int *in, int *out, int *totals, int n) {
    scan_block<int, 128><<<(n + 127) / 128, 128>>>(in, out, totals, n);
}

} // namespace rowkit
