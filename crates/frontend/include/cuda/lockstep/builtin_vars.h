// threadIdx, blockIdx, blockDim, gridDim and warpSize: clang's own, with their conversions to uint3 and dim3.
#pragma once
#include <__clang_cuda_builtin_vars.h>

#define __LOCKSTEP_CONVERSIONS(T)                                                                              \
  __device__ inline T::operator dim3() const { return dim3(x, y, z); }                                         \
  __device__ inline T::operator uint3() const { return {x, y, z}; }
__LOCKSTEP_CONVERSIONS(__cuda_builtin_threadIdx_t)
__LOCKSTEP_CONVERSIONS(__cuda_builtin_blockIdx_t)
__LOCKSTEP_CONVERSIONS(__cuda_builtin_blockDim_t)
__LOCKSTEP_CONVERSIONS(__cuda_builtin_gridDim_t)
#undef __LOCKSTEP_CONVERSIONS
