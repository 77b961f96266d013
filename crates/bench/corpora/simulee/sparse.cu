// The sparse kernels of the checkout are templates: this names the instances to look at.
#include "cudpp-new-bug/spmvmult_kernel.hpp"

typedef unsigned int uint;
template __global__ void sparseMatrixVectorFetchAndMultiply<float, false>(uint *, float *, const float *, const float *,
                                                                          const uint *, uint);
template __global__ void yGather<float>(float *, const float *, const uint *, uint);
