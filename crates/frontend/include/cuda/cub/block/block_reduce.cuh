// CUB: reductions of a block. The result is that of thread 0.
#pragma once
#pragma GCC system_header
#include "../warp/warp_reduce.cuh"

namespace cub {
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

template <class T, int X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int ARCH = 0>
class BlockReduce {
  enum { THREADS = X * Y * Z, WARPS = (THREADS + 31) / 32 };
  struct Storage { __lockstep_storage<T, WARPS> warp; };
  Storage &storage;
  int thread;
  static __LOCKSTEP_CUB Storage &own() {
    __shared__ Storage storage;
    return storage;
  }

public:
  struct TempStorage : Storage {};
  __LOCKSTEP_CUB BlockReduce() : storage(own()), thread(RowMajorTid(X, Y, Z)) {}
  __LOCKSTEP_CUB BlockReduce(TempStorage &s) : storage(s), thread(RowMajorTid(X, Y, Z)) {}
  template <class Op> __LOCKSTEP_CUB T Reduce(T v, Op op, int valid) {
    int lane = thread % 32, first = thread - lane;
    unsigned mask = __lockstep_lanes(thread, THREADS);
    for (int by = 1; by < 32; by *= 2) {
      T other = ShuffleDown<32>(v, by, 0, mask);
      if (lane + by < 32 && first + lane + by < valid) v = op(v, other);
    }
    if (lane == 0) storage.warp[thread / 32] = v;
    __syncthreads();
    if (thread == 0)
      for (int w = 1; w < WARPS; ++w)
        if (w * 32 < valid) v = op(v, storage.warp[w]);
    return v;
  }
  template <class Op> __LOCKSTEP_CUB T Reduce(T v, Op op) { return Reduce(v, op, (int)THREADS); }
  template <int N, class Op> __LOCKSTEP_CUB T Reduce(T (&items)[N], Op op) {
    T v = items[0];
#pragma unroll
    for (int i = 1; i < N; ++i) v = op(v, items[i]);
    return Reduce(v, op);
  }
  __LOCKSTEP_CUB T Sum(T v) { return Reduce(v, cub::Sum()); }
  __LOCKSTEP_CUB T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
  template <int N> __LOCKSTEP_CUB T Sum(T (&items)[N]) { return Reduce(items, cub::Sum()); }
};
} // namespace cub
