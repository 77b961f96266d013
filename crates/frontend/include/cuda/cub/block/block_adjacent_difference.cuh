// CUB: each item of a block compared with its neighbour.
#pragma once
#pragma GCC system_header
#include "../thread/thread_operators.cuh"

namespace cub {
template <class T, int X, int Y = 1, int Z = 1> struct __lockstep_neighbours {
  enum { THREADS = X * Y * Z };
  struct Storage { __lockstep_storage<T, THREADS> first, last; };
  Storage &storage;
  int thread;
  __LOCKSTEP_CUB __lockstep_neighbours(Storage &s) : storage(s), thread(RowMajorTid(X, Y, Z)) {}
  // `f` is given each item, its left neighbour or null, and its place; the same for its right neighbour.
  template <int N, class F> __LOCKSTEP_CUB void left(T (&in)[N], F f) {
    storage.last[thread] = in[N - 1];
    __syncthreads();
#pragma unroll
    for (int i = N - 1; i > 0; --i) f(i, in[i], &in[i - 1]);
    f(0, in[0], thread ? &storage.last[thread - 1] : nullptr);
  }
  template <int N, class F> __LOCKSTEP_CUB void right(T (&in)[N], F f) {
    storage.first[thread] = in[0];
    __syncthreads();
#pragma unroll
    for (int i = 0; i + 1 < N; ++i) f(i, in[i], &in[i + 1]);
    f(N - 1, in[N - 1], thread + 1 < THREADS ? &storage.first[thread + 1] : nullptr);
  }
};

template <class T, int X, int Y = 1, int Z = 1, int ARCH = 0> class BlockAdjacentDifference {
  using Base = __lockstep_neighbours<T, X, Y, Z>;
  Base base;

public:
  struct TempStorage : Base::Storage {};
  __LOCKSTEP_CUB BlockAdjacentDifference(TempStorage &s) : base(s) {}
  template <int N, class O, class Op> __LOCKSTEP_CUB void SubtractLeft(T (&in)[N], O (&out)[N], Op op) {
    base.left(in, [&](int i, T own, T *other) { out[i] = other ? (O)op(own, *other) : (O)own; });
  }
  template <int N, class O, class Op> __LOCKSTEP_CUB void SubtractLeft(T (&in)[N], O (&out)[N], Op op, T before) {
    base.left(in, [&](int i, T own, T *other) { out[i] = op(own, other ? *other : before); });
  }
  template <int N, class O, class Op> __LOCKSTEP_CUB void SubtractRight(T (&in)[N], O (&out)[N], Op op) {
    base.right(in, [&](int i, T own, T *other) { out[i] = other ? (O)op(own, *other) : (O)own; });
  }
  template <int N, class O, class Op> __LOCKSTEP_CUB void SubtractRight(T (&in)[N], O (&out)[N], Op op, T after) {
    base.right(in, [&](int i, T own, T *other) { out[i] = op(own, other ? *other : after); });
  }
};

template <class T, int X, int Y = 1, int Z = 1, int ARCH = 0> class BlockDiscontinuity {
  using Base = __lockstep_neighbours<T, X, Y, Z>;
  Base base;

public:
  struct TempStorage : Base::Storage {};
  __LOCKSTEP_CUB BlockDiscontinuity(TempStorage &s) : base(s) {}
  template <int N, class F, class Op> __LOCKSTEP_CUB void FlagHeads(F (&flags)[N], T (&in)[N], Op op) {
    base.left(in, [&](int i, T own, T *other) { flags[i] = other ? (F)op(*other, own) : (F)1; });
  }
  template <int N, class F, class Op> __LOCKSTEP_CUB void FlagHeads(F (&flags)[N], T (&in)[N], Op op, T before) {
    base.left(in, [&](int i, T own, T *other) { flags[i] = (F)op(other ? *other : before, own); });
  }
  template <int N, class F, class Op> __LOCKSTEP_CUB void FlagTails(F (&flags)[N], T (&in)[N], Op op) {
    base.right(in, [&](int i, T own, T *other) { flags[i] = other ? (F)op(own, *other) : (F)1; });
  }
};
} // namespace cub
