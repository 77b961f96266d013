// For programs that are run: the runtime's C++ layer with its bodies, and what nvcc has included for host code. Where
// sources are only checked, declarations are enough.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <time.h>
#include <assert.h>
#include <new>
#include <utility>

extern "C" {
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyToSymbolAsync(const void *, const void *, size_t, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbolAsync(void *, const void *, size_t, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaGetSymbolAddress(void **, const void *);
cudaError_t cudaGetSymbolSize(size_t *, const void *);
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int);
cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache);
cudaError_t cudaFuncSetSharedMemConfig(const void *, cudaSharedMemConfig);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, const void *, int, size_t, unsigned);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);
cudaError_t __lockstep_occupancy_block_size(int *, int *, const void *, size_t, int);
cudaError_t __lockstep_graph_instantiate(cudaGraphExec_t *, cudaGraph_t);
cudaError_t __lockstep_graph_update(cudaGraphExec_t, cudaGraph_t);
}

template <class T> cudaError_t cudaMemcpyToSymbol(const T &s, const void *from, size_t n, size_t at, cudaMemcpyKind k) {
  return cudaMemcpyToSymbol((const void *)&s, from, n, at, k);
}
template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T &s, const void *from, size_t n, size_t at, cudaMemcpyKind k, cudaStream_t stream) {
  return cudaMemcpyToSymbolAsync((const void *)&s, from, n, at, k, stream);
}
template <class T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &s, size_t n, size_t at, cudaMemcpyKind k) {
  return cudaMemcpyFromSymbol(to, (const void *)&s, n, at, k);
}
template <class T> cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &s, size_t n, size_t at, cudaMemcpyKind k, cudaStream_t stream) {
  return cudaMemcpyFromSymbolAsync(to, (const void *)&s, n, at, k, stream);
}
template <class T> cudaError_t cudaGetSymbolAddress(void **to, const T &s) { return cudaGetSymbolAddress(to, (const void *)&s); }
template <class P, class T> cudaError_t cudaGetSymbolAddress(P **to, const T &s) { return cudaGetSymbolAddress((void **)to, (const void *)&s); }
template <class T> cudaError_t cudaGetSymbolSize(size_t *to, const T &s) { return cudaGetSymbolSize(to, (const void *)&s); }
template <class F> cudaError_t cudaFuncSetAttribute(F f, cudaFuncAttribute a, int v) { return cudaFuncSetAttribute((const void *)f, a, v); }
template <class F> cudaError_t cudaFuncSetCacheConfig(F f, cudaFuncCache c) { return cudaFuncSetCacheConfig((const void *)f, c); }
template <class F> cudaError_t cudaFuncSetSharedMemConfig(F f, cudaSharedMemConfig c) { return cudaFuncSetSharedMemConfig((const void *)f, c); }
template <class F> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *to, F f) { return cudaFuncGetAttributes(to, (const void *)f); }
template <class F> cudaError_t cudaLaunchKernel(F *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel((const void *)f, grid, block, args, shared, stream);
}
template <class F> cudaError_t cudaLaunchCooperativeKernel(F *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
  return cudaLaunchCooperativeKernel((const void *)f, grid, block, args, shared, stream);
}
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*f)(P...), A &&...a) {
  return [&](P... p) {
    void *args[] = {(void *)&p..., nullptr};
    return cudaLaunchKernelExC(config, (const void *)f, args);
  }(static_cast<A &&>(a)...);
}
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, F f, int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, (const void *)f, threads, shared);
}
template <class F> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, F f, int threads, size_t shared, unsigned flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, (const void *)f, threads, shared, flags);
}
template <class F> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F f, size_t shared, int limit) {
  return __lockstep_occupancy_block_size(grid, block, (const void *)f, shared, limit);
}
template <class U, class F> cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, F f, U shared, int limit) {
  return __lockstep_occupancy_block_size(grid, block, (const void *)f, shared(limit > 0 ? limit : 1024), limit);
}
template <class F> cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *to, F f, int blocks, int threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(to, (const void *)f, blocks, threads);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t graph, unsigned long long) { return __lockstep_graph_instantiate(to, graph); }
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *to) {
  cudaError_t e = __lockstep_graph_update(exec, graph);
  *to = {e ? cudaGraphExecUpdateError : cudaGraphExecUpdateSuccess, nullptr, nullptr};
  return e;
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *, cudaGraphExecUpdateResult *to) {
  cudaError_t e = __lockstep_graph_update(exec, graph);
  *to = e ? cudaGraphExecUpdateError : cudaGraphExecUpdateSuccess;
  return e;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t) { return __lockstep_graph_instantiate(to, graph); }

#ifdef __CUDA__

// A unit whose device code others use has something that its constructor registers, even if it has no kernel.
#ifdef __LOCKSTEP_RELOCATABLE__
extern "C" __global__ __attribute__((weak)) void __lockstep_unit() {}
#endif

// min, max and what else CUDA has on both sides, for the host.
#define __LOCKSTEP_MINMAX_BODY(R, T, U)                                                                         \
  inline __host__ R max(T a, U b) { return (R)a < (R)b ? (R)b : (R)a; }                                         \
  inline __host__ R min(T a, U b) { return (R)b < (R)a ? (R)b : (R)a; }
#define __LOCKSTEP_MINMAX_BODIES(T)                                                                             \
  __LOCKSTEP_MINMAX_BODY(T, T, T)                                                                               \
  __LOCKSTEP_MINMAX_BODY(unsigned T, unsigned T, unsigned T)                                                    \
  __LOCKSTEP_MINMAX_BODY(unsigned T, T, unsigned T)                                                             \
  __LOCKSTEP_MINMAX_BODY(unsigned T, unsigned T, T)
__LOCKSTEP_MINMAX_BODIES(int)
__LOCKSTEP_MINMAX_BODIES(long)
__LOCKSTEP_MINMAX_BODIES(long long)
#undef __LOCKSTEP_MINMAX_BODIES
#undef __LOCKSTEP_MINMAX_BODY
inline __host__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
inline __host__ float min(float a, float b) { return __builtin_fminf(a, b); }
inline __host__ double max(double a, double b) { return __builtin_fmax(a, b); }
inline __host__ double min(double a, double b) { return __builtin_fmin(a, b); }
extern "C" inline __host__ double rsqrt(double x) noexcept(true) { return 1 / __builtin_sqrt(x); }
extern "C" inline __host__ float rsqrtf(float x) noexcept(true) { return 1 / __builtin_sqrtf(x); }

#endif

// `--default-stream per-thread`: for the whole program, if one unit asks for it.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
extern "C" void __lockstep_per_thread_default_stream();
static __attribute__((constructor, unused)) void __lockstep_asks_per_thread() { __lockstep_per_thread_default_stream(); }
#endif
