// Rows of a matrix with a pitch.
#include <cuda_runtime.h>

#include "rowkit/kernels.cuh"

namespace rowkit {

__global__ void scale_rows(float *m, int columns, int pitch, const float *factors) {
    int row = blockIdx.x;
    // Rows must not overlap: right only where columns <= pitch, and the kernel does not say so.
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        m[row * pitch + i] *= factors[row];
}

void scale(float *m, int rows, int columns, int pitch, const float *factors) {
    scale_rows<<<rows, 128>>>(m, columns, pitch, factors);
}

} // namespace rowkit
