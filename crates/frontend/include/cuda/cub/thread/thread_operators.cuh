// CUB: operators that are given to reductions and scans.
#pragma once
#pragma GCC system_header
#include "../util_type.cuh"

namespace cub {
#define __LOCKSTEP_OPERATOR(name, expr)                                                                        \
  struct name {                                                                                                \
    template <class T, class U> __LOCKSTEP_CUB_HD auto operator()(const T &a, const U &b) const { return expr; } \
  };
__LOCKSTEP_OPERATOR(Equality, a == b)
__LOCKSTEP_OPERATOR(Inequality, a != b)
__LOCKSTEP_OPERATOR(Sum, a + b)
__LOCKSTEP_OPERATOR(Difference, a - b)
__LOCKSTEP_OPERATOR(Division, a / b)
__LOCKSTEP_OPERATOR(Max, a < b ? b : a)
__LOCKSTEP_OPERATOR(Min, b < a ? b : a)
#undef __LOCKSTEP_OPERATOR
struct ArgMax {
  template <class T, class O> __LOCKSTEP_CUB_HD KeyValuePair<O, T> operator()(const KeyValuePair<O, T> &a, const KeyValuePair<O, T> &b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class T, class O> __LOCKSTEP_CUB_HD KeyValuePair<O, T> operator()(const KeyValuePair<O, T> &a, const KeyValuePair<O, T> &b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
template <class Op> struct InequalityWrapper {
  Op op;
  __LOCKSTEP_CUB_HD InequalityWrapper(Op op) : op(op) {}
  template <class T> __LOCKSTEP_CUB_HD bool operator()(const T &a, const T &b) { return !op(a, b); }
};
} // namespace cub
