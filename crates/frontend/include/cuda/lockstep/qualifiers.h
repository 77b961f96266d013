// CUDA's keywords as clang attributes, and the version macros that code tests for.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// In device code managed memory is ordinary device memory; clang knows the attribute for HIP only.
#ifdef __LOCKSTEP_PROGRAM__
// The section tells the runtime library that the host uses the variable by itself.
#define __managed__ __attribute__((device, section("lockstep_managed")))
#else
#define __managed__ __attribute__((device))
#endif
// Kernel parameters are read in place anyway.
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
// Not a plain macro: libstdc++ and clang's own headers spell __attribute__((__noinline__)), which clang's lexer
// accepts for the keyword __noinline__ as well.
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __inline_hint__
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__ __attribute__((device_builtin_texture_type))
#define __device_builtin_surface_type__ __attribute__((device_builtin_surface_type))
#define __specialization_static static
#define __thread__ __thread
#define __import__
#define __export__
#define __location__(a) __attribute__((a))
#define nv_weak weak
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
#ifndef __CUDACC__
#define __CUDACC__
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 131
#define CUDA_VERSION 12040
#define CUDART_VERSION 12040
#define __CUDART_API_VERSION 12040
#define __CUDA_API_VERSION 12040
#define __CUDA_API_VER_MAJOR__ 12
#define __CUDA_API_VER_MINOR__ 4

// What a function of this prelude is: inlined at the call, and absent where it is not called.
#define __LOCKSTEP_DEVICE static __device__ __inline__ __attribute__((always_inline, nothrow, unused))
#define __LOCKSTEP_HD static __host__ __device__ __inline__ __attribute__((always_inline, nothrow, unused))
// What the lowering gives a meaning to: declared here, defined nowhere.
#define __LOCKSTEP_OPAQUE extern "C" __device__ __attribute__((nothrow))
