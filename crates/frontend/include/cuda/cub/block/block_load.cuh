// CUB: loads and stores of a block's items. All arrangements read or write global memory in place: those that CUB takes
// through shared memory do not use the storage.
#pragma once
#pragma GCC system_header
#include "../util_type.cuh"

namespace cub {
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };

template <class T, int N, class I> __LOCKSTEP_CUB void LoadDirectBlocked(int thread, I from, T (&items)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) items[i] = from[thread * N + i];
}
template <class T, int N, class I> __LOCKSTEP_CUB void LoadDirectBlocked(int thread, I from, T (&items)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (thread * N + i < valid) items[i] = from[thread * N + i];
}
template <class T, class D, int N, class I> __LOCKSTEP_CUB void LoadDirectBlocked(int thread, I from, T (&items)[N], int valid, D other) {
#pragma unroll
  for (int i = 0; i < N; ++i) items[i] = thread * N + i < valid ? (T)from[thread * N + i] : (T)other;
}
template <int THREADS, class T, int N, class I> __LOCKSTEP_CUB void LoadDirectStriped(int thread, I from, T (&items)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) items[i] = from[thread + i * THREADS];
}
template <int THREADS, class T, int N, class I> __LOCKSTEP_CUB void LoadDirectStriped(int thread, I from, T (&items)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (thread + i * THREADS < valid) items[i] = from[thread + i * THREADS];
}
template <int THREADS, class T, class D, int N, class I> __LOCKSTEP_CUB void LoadDirectStriped(int thread, I from, T (&items)[N], int valid, D other) {
#pragma unroll
  for (int i = 0; i < N; ++i) items[i] = thread + i * THREADS < valid ? (T)from[thread + i * THREADS] : (T)other;
}
template <class T, int N, class I> __LOCKSTEP_CUB void LoadDirectWarpStriped(int thread, I from, T (&items)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) items[i] = from[thread / 32 * 32 * N + thread % 32 + i * 32];
}
template <class T, int N, class O> __LOCKSTEP_CUB void StoreDirectBlocked(int thread, O to, T (&items)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) to[thread * N + i] = items[i];
}
template <class T, int N, class O> __LOCKSTEP_CUB void StoreDirectBlocked(int thread, O to, T (&items)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (thread * N + i < valid) to[thread * N + i] = items[i];
}
template <int THREADS, class T, int N, class O> __LOCKSTEP_CUB void StoreDirectStriped(int thread, O to, T (&items)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) to[thread + i * THREADS] = items[i];
}
template <int THREADS, class T, int N, class O> __LOCKSTEP_CUB void StoreDirectStriped(int thread, O to, T (&items)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (thread + i * THREADS < valid) to[thread + i * THREADS] = items[i];
}
template <class T, int N, class O> __LOCKSTEP_CUB void StoreDirectWarpStriped(int thread, O to, T (&items)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) to[thread / 32 * 32 * N + thread % 32 + i * 32] = items[i];
}

template <class T, int X, int N, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int ARCH = 0> class BlockLoad {
  int thread;

public:
  struct TempStorage {};
  __LOCKSTEP_CUB BlockLoad() : thread(RowMajorTid(X, Y, Z)) {}
  __LOCKSTEP_CUB BlockLoad(TempStorage &) : thread(RowMajorTid(X, Y, Z)) {}
  template <class I, class... More> __LOCKSTEP_CUB void Load(I from, T (&items)[N], More... more) {
    if constexpr (ALGORITHM == BLOCK_LOAD_STRIPED) LoadDirectStriped<X * Y * Z>(thread, from, items, more...);
    else LoadDirectBlocked(thread, from, items, more...);
  }
};
template <class T, int X, int N, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int ARCH = 0> class BlockStore {
  int thread;

public:
  struct TempStorage {};
  __LOCKSTEP_CUB BlockStore() : thread(RowMajorTid(X, Y, Z)) {}
  __LOCKSTEP_CUB BlockStore(TempStorage &) : thread(RowMajorTid(X, Y, Z)) {}
  template <class O, class... More> __LOCKSTEP_CUB void Store(O to, T (&items)[N], More... more) {
    if constexpr (ALGORITHM == BLOCK_STORE_STRIPED) StoreDirectStriped<X * Y * Z>(thread, to, items, more...);
    else StoreDirectBlocked(thread, to, items, more...);
  }
};
} // namespace cub
