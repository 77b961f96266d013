// CUB: reductions of a warp, or of groups of its lanes. The result is that of the first lane.
#pragma once
#pragma GCC system_header
#include "../thread/thread_operators.cuh"

namespace cub {
template <class T, int WIDTH = 32, int ARCH = 0> class WarpReduce {
  unsigned mask;
  int lane;

public:
  struct TempStorage {};
  __LOCKSTEP_CUB WarpReduce(TempStorage &) {
    lane = (int)(LaneId() % WIDTH);
    mask = WarpMask<WIDTH>(LaneId() / WIDTH);
  }
  template <class Op> __LOCKSTEP_CUB T Reduce(T v, Op op, int valid = WIDTH) {
    constexpr int most = PowerOfTwo<WIDTH>::VALUE ? WIDTH : 32;
    for (int by = 1; by < WIDTH; by *= 2) {
      T other = ShuffleDown<most>(v, by, 0, mask);
      if (lane + by < valid && lane + by < WIDTH) v = op(v, other);
    }
    return v;
  }
  __LOCKSTEP_CUB T Sum(T v) { return Reduce(v, cub::Sum()); }
  __LOCKSTEP_CUB T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
  // Each group of lanes begins where a flag is set.
  template <class Flag, class Op> __LOCKSTEP_CUB T HeadSegmentedReduce(T v, Flag head, Op op) {
    unsigned heads = __ballot_sync(mask, head ? 1 : 0);
    unsigned later = heads & mask & ~((2u << LaneId()) - 1);
    int left = later ? __ffs(later) - 1 - (int)LaneId() : WIDTH - lane;
    for (int by = 1; by < WIDTH; by *= 2) {
      T other = ShuffleDown<WIDTH>(v, by, 0, mask);
      if (by < left) v = op(v, other);
    }
    return v;
  }
  template <class Flag> __LOCKSTEP_CUB T HeadSegmentedSum(T v, Flag head) { return HeadSegmentedReduce(v, head, cub::Sum()); }
};
template <class T, int ARCH> class WarpReduce<T, 1, ARCH> {
public:
  struct TempStorage {};
  __LOCKSTEP_CUB WarpReduce(TempStorage &) {}
  template <class Op> __LOCKSTEP_CUB T Reduce(T v, Op, int = 1) { return v; }
  __LOCKSTEP_CUB T Sum(T v, int = 1) { return v; }
};
} // namespace cub
