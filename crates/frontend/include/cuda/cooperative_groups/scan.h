// Prefix sums over a tile or a coalesced group.
#pragma once
#include "reduce.h"

namespace cooperative_groups {
template <class G, class T, class Op> __LOCKSTEP_CG T inclusive_scan(const G &g, T v, Op op) {
  T r = v;
  for (unsigned d = 1; d < g.size(); d *= 2) {
    T below = g.shfl_up(r, d);
    if (g.thread_rank() >= d) r = op(below, r);
  }
  return r;
}
template <class G, class T> __LOCKSTEP_CG T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class G, class T, class Op> __LOCKSTEP_CG T exclusive_scan(const G &g, T v, Op op) {
  T below = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() == 0 ? T{} : below;
}
template <class G, class T> __LOCKSTEP_CG T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }
} // namespace cooperative_groups
