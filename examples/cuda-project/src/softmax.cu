// A softmax of each row: one block a row.
#include <cuda_runtime.h>

#include "rowkit/kernels.cuh"
#include "rowkit/reduce.cuh"

namespace rowkit {

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) softmax_rows(const float *in, float *out, int columns) {
    __shared__ float scratch[BLOCK / 32];
    const float *x = in + blockIdx.x * columns;
    float *y = out + blockIdx.x * columns;

    float high = -3.0e38f;
    for (int i = threadIdx.x; i < columns; i += BLOCK) high = Max()(high, x[i]);
    high = block_reduce<BLOCK>(high, scratch, Max());

    float total = 0;
    for (int i = threadIdx.x; i < columns; i += BLOCK) total += expf(x[i] - high);
    // The same scratch again, and no barrier since it was read.
    total = block_reduce<BLOCK>(total, scratch, Sum());

    for (int i = threadIdx.x; i < columns; i += BLOCK) y[i] = expf(x[i] - high) / total;
}

void softmax(const float *in, float *out, int rows, int columns) {
    softmax_rows<128><<<rows, 128>>>(in, out, columns);
}

} // namespace rowkit
