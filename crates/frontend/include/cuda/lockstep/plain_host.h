// CUDA's runtime for a C++ file that is compiled as such: types and functions of the host, and keywords that mean nothing.
#pragma once

#ifndef __cplusplus
#error "CUDA's runtime is declared for C++ only"
#endif

#include <stddef.h>

#define __device__
#define __global__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
#define CUDA_VERSION 12040
#define CUDART_VERSION 12040
#define __CUDART_API_VERSION 12040

#define __LOCKSTEP_HD static __inline__ __attribute__((always_inline, nothrow, unused))
#include "vector_types.h"
// The runtime library makes the calls.
#define __LOCKSTEP_HOST_RUNS__
#include "host_api.h"
#include "texture/host.h"
#include "host_program.h"
