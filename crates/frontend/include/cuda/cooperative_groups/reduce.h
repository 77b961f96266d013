// Reductions over a tile or a coalesced group: every member gets the result.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
#define __LOCKSTEP_FUNCTOR(name, expr)                                                                         \
  template <class T = void> struct name {                                                                      \
    template <class U> __LOCKSTEP_CG U operator()(const U &a, const U &b) const { return expr; }               \
  };
__LOCKSTEP_FUNCTOR(plus, a + b)
__LOCKSTEP_FUNCTOR(less, b < a ? b : a)
__LOCKSTEP_FUNCTOR(greater, a < b ? b : a)
__LOCKSTEP_FUNCTOR(bit_and, a & b)
__LOCKSTEP_FUNCTOR(bit_or, a | b)
__LOCKSTEP_FUNCTOR(bit_xor, a ^ b)
#undef __LOCKSTEP_FUNCTOR

// Each member takes the values of all in the order of their ranks, so that every member computes the same.
template <class G, class T, class Op> __LOCKSTEP_CG T reduce(const G &g, T v, Op op) {
  T r = g.shfl(v, 0);
  for (unsigned i = 1; i < g.size(); ++i) r = op(r, g.shfl(v, (int)i));
  return r;
}
template <class G, class T, class U, class Op> __LOCKSTEP_CG void reduce_store_async(const G &g, T *to, U v, Op op) {
  T r = reduce(g, (T)v, op);
  if (g.thread_rank() == 0) *to = r;
}
} // namespace cooperative_groups
