// CUB: prefix sums of a block.
#pragma once
#pragma GCC system_header
#include "../warp/warp_scan.cuh"

namespace cub {
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int ARCH = 0>
class BlockScan {
  enum { THREADS = X * Y * Z, WARPS = (THREADS + 31) / 32 };
  struct Storage {
    __lockstep_storage<T, WARPS> warp;
    __lockstep_storage<T, 1> prefix;
  };
  Storage &storage;
  int thread;
  static __LOCKSTEP_CUB Storage &own() {
    __shared__ Storage storage;
    return storage;
  }
  // What comes before this thread; nothing does before thread 0, for which the result means nothing.
  template <class Op> __LOCKSTEP_CUB T before(T v, Op op, T &all) {
    int lane = thread % 32, warp = thread / 32;
    unsigned mask = __lockstep_lanes(thread, THREADS);
    for (int by = 1; by < 32; by *= 2) {
      T below = ShuffleUp<32>(v, by, 0, mask);
      if (lane >= by) v = op(below, v);
    }
    T left = ShuffleUp<32>(v, 1, 0, mask);
    if (lane == 31 || thread == THREADS - 1) storage.warp[warp] = v;
    __syncthreads();
    T sum = storage.warp[0];
    for (int w = 1; w < WARPS; ++w) {
      if (w == warp) left = lane == 0 ? sum : op(sum, left);
      sum = op(sum, storage.warp[w]);
    }
    all = sum;
    return left;
  }
  // The first warp asks for what comes before the block.
  template <class Callback> __LOCKSTEP_CUB T asked(Callback &callback, T all) {
    if (thread < 32) {
      T first = callback(all);
      if (thread == 0) storage.prefix[0] = first;
    }
    __syncthreads();
    return storage.prefix[0];
  }
  template <int N, class Op> static __LOCKSTEP_CUB T total(T (&in)[N], Op op) {
    T v = in[0];
#pragma unroll
    for (int i = 1; i < N; ++i) v = op(v, in[i]);
    return v;
  }
  template <int N, class Op> static __LOCKSTEP_CUB void spread(T (&in)[N], T (&out)[N], T at, Op op) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      T next = op(at, in[i]);
      out[i] = at;
      at = next;
    }
  }
  template <int N, class Op> static __LOCKSTEP_CUB void gather(T (&in)[N], T (&out)[N], bool has, T at, Op op) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      at = has ? op(at, in[i]) : in[i];
      has = true;
      out[i] = at;
    }
  }

public:
  struct TempStorage : Storage {};
  __LOCKSTEP_CUB BlockScan() : storage(own()), thread(RowMajorTid(X, Y, Z)) {}
  __LOCKSTEP_CUB BlockScan(TempStorage &s) : storage(s), thread(RowMajorTid(X, Y, Z)) {}

  template <int N, class Op> __LOCKSTEP_CUB void ExclusiveScan(T (&in)[N], T (&out)[N], T first, Op op, T &all) {
    T left = before(total(in, op), op, all);
    spread(in, out, thread == 0 ? first : op(first, left), op);
  }
  template <int N, class Op> __LOCKSTEP_CUB void ExclusiveScan(T (&in)[N], T (&out)[N], T first, Op op) {
    T all;
    ExclusiveScan(in, out, first, op, all);
  }
  template <int N, class Op> __LOCKSTEP_CUB void ExclusiveScan(T (&in)[N], T (&out)[N], Op op) {
    T all, left = before(total(in, op), op, all);
    spread(in, out, left, op);
  }
  template <int N, class Op> __LOCKSTEP_CUB void InclusiveScan(T (&in)[N], T (&out)[N], Op op, T &all) {
    T left = before(total(in, op), op, all);
    gather(in, out, thread != 0, left, op);
  }
  template <int N, class Op> __LOCKSTEP_CUB void InclusiveScan(T (&in)[N], T (&out)[N], Op op) {
    T all;
    InclusiveScan(in, out, op, all);
  }
  template <int N> __LOCKSTEP_CUB void ExclusiveSum(T (&in)[N], T (&out)[N]) { ExclusiveScan(in, out, T(0), cub::Sum()); }
  template <int N> __LOCKSTEP_CUB void ExclusiveSum(T (&in)[N], T (&out)[N], T &all) { ExclusiveScan(in, out, T(0), cub::Sum(), all); }
  template <int N> __LOCKSTEP_CUB void InclusiveSum(T (&in)[N], T (&out)[N]) { InclusiveScan(in, out, cub::Sum()); }
  template <int N> __LOCKSTEP_CUB void InclusiveSum(T (&in)[N], T (&out)[N], T &all) { InclusiveScan(in, out, cub::Sum(), all); }

  template <class Op> __LOCKSTEP_CUB void ExclusiveScan(T in, T &out, T first, Op op, T &all) {
    T left = before(in, op, all);
    out = thread == 0 ? first : op(first, left);
  }
  template <class Op> __LOCKSTEP_CUB void ExclusiveScan(T in, T &out, T first, Op op) {
    T all;
    ExclusiveScan(in, out, first, op, all);
  }
  template <class Op> __LOCKSTEP_CUB void ExclusiveScan(T in, T &out, Op op) {
    T all;
    out = before(in, op, all);
  }
  template <class Op> __LOCKSTEP_CUB void InclusiveScan(T in, T &out, Op op, T &all) {
    T left = before(in, op, all);
    out = thread == 0 ? in : op(left, in);
  }
  template <class Op> __LOCKSTEP_CUB void InclusiveScan(T in, T &out, Op op) {
    T all;
    InclusiveScan(in, out, op, all);
  }
  __LOCKSTEP_CUB void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
  __LOCKSTEP_CUB void ExclusiveSum(T in, T &out, T &all) { ExclusiveScan(in, out, T(0), cub::Sum(), all); }
  __LOCKSTEP_CUB void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
  __LOCKSTEP_CUB void InclusiveSum(T in, T &out, T &all) { InclusiveScan(in, out, cub::Sum(), all); }

  // With a callback of the first warp, that is given the block's sum and knows what comes before the block.
  template <int N, class Op, class C, class = decltype(std::declval<C &>()(std::declval<T>()))>
  __LOCKSTEP_CUB void ExclusiveScan(T (&in)[N], T (&out)[N], Op op, C &callback) {
    T all, left = before(total(in, op), op, all), first = asked(callback, all);
    spread(in, out, thread == 0 ? first : op(first, left), op);
  }
  template <int N, class Op, class C, class = decltype(std::declval<C &>()(std::declval<T>()))>
  __LOCKSTEP_CUB void InclusiveScan(T (&in)[N], T (&out)[N], Op op, C &callback) {
    T all, left = before(total(in, op), op, all), first = asked(callback, all);
    gather(in, out, true, thread == 0 ? first : op(first, left), op);
  }
  template <int N, class C, class = decltype(std::declval<C &>()(std::declval<T>()))>
  __LOCKSTEP_CUB void ExclusiveSum(T (&in)[N], T (&out)[N], C &callback) { ExclusiveScan(in, out, cub::Sum(), callback); }
  template <int N, class C, class = decltype(std::declval<C &>()(std::declval<T>()))>
  __LOCKSTEP_CUB void InclusiveSum(T (&in)[N], T (&out)[N], C &callback) { InclusiveScan(in, out, cub::Sum(), callback); }
};
} // namespace cub
