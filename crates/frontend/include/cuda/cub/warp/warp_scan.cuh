// CUB: prefix sums of a warp, or of groups of its lanes.
#pragma once
#pragma GCC system_header
#include "../thread/thread_operators.cuh"

namespace cub {
template <class T, int WIDTH = 32, int ARCH = 0> class WarpScan {
  unsigned mask;
  int lane;

public:
  struct TempStorage {};
  __LOCKSTEP_CUB WarpScan(TempStorage &) {
    lane = (int)(LaneId() % WIDTH);
    mask = WarpMask<WIDTH>(LaneId() / WIDTH);
  }
  template <class Op> __LOCKSTEP_CUB void InclusiveScan(T in, T &out, Op op) {
    for (int by = 1; by < WIDTH; by *= 2) {
      T below = ShuffleUp<WIDTH>(in, by, 0, mask);
      if (lane >= by) in = op(below, in);
    }
    out = in;
  }
  template <class Op> __LOCKSTEP_CUB void InclusiveScan(T in, T &out, Op op, T &all) {
    InclusiveScan(in, out, op);
    all = ShuffleIndex<WIDTH>(out, WIDTH - 1, mask);
  }
  template <class Op> __LOCKSTEP_CUB void ExclusiveScan(T in, T &out, T first, Op op) {
    T sum = in;
    InclusiveScan(in, sum, op);
    T below = ShuffleUp<WIDTH>(sum, 1, 0, mask);
    out = lane == 0 ? first : op(first, below);
  }
  template <class Op> __LOCKSTEP_CUB void ExclusiveScan(T in, T &out, Op op) {
    T sum = in;
    InclusiveScan(in, sum, op);
    out = ShuffleUp<WIDTH>(sum, 1, 0, mask);
  }
  template <class Op> __LOCKSTEP_CUB void ExclusiveScan(T in, T &out, T first, Op op, T &all) {
    T sum = in;
    InclusiveScan(in, sum, op, all);
    T below = ShuffleUp<WIDTH>(sum, 1, 0, mask);
    out = lane == 0 ? first : op(first, below);
  }
  __LOCKSTEP_CUB void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
  __LOCKSTEP_CUB void InclusiveSum(T in, T &out, T &all) { InclusiveScan(in, out, cub::Sum(), all); }
  __LOCKSTEP_CUB void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
  __LOCKSTEP_CUB void ExclusiveSum(T in, T &out, T &all) { ExclusiveScan(in, out, T(0), cub::Sum(), all); }
  __LOCKSTEP_CUB T Broadcast(T in, unsigned from) { return ShuffleIndex<WIDTH>(in, (int)from, mask); }
};
} // namespace cub
