// CUB: iterators over what is not in memory.
#pragma once
#pragma GCC system_header
#include "../util_type.cuh"

namespace cub {
// What random access needs, over an offset from the beginning.
template <class Self, class T, class D> struct __lockstep_iterator {
  typedef T value_type, reference;
  typedef D difference_type;
  typedef T *pointer;
  typedef std::random_access_iterator_tag iterator_category;
  __LOCKSTEP_CUB_HD const Self &self() const { return static_cast<const Self &>(*this); }
  __LOCKSTEP_CUB_HD Self &self() { return static_cast<Self &>(*this); }
  __LOCKSTEP_CUB_HD T operator*() const { return self()[0]; }
  __LOCKSTEP_CUB_HD Self operator+(D n) const { Self r = self(); r.move(n); return r; }
  __LOCKSTEP_CUB_HD Self operator-(D n) const { Self r = self(); r.move(-n); return r; }
  __LOCKSTEP_CUB_HD Self &operator+=(D n) { self().move(n); return self(); }
  __LOCKSTEP_CUB_HD Self &operator-=(D n) { self().move(-n); return self(); }
  __LOCKSTEP_CUB_HD Self &operator++() { self().move(1); return self(); }
  __LOCKSTEP_CUB_HD Self operator++(int) { Self r = self(); self().move(1); return r; }
};
template <class T, class D = ptrdiff_t> struct CountingInputIterator : __lockstep_iterator<CountingInputIterator<T, D>, T, D> {
  T value;
  __LOCKSTEP_CUB_HD CountingInputIterator(T v) : value(v) {}
  template <class N> __LOCKSTEP_CUB_HD T operator[](N n) const { return value + (T)n; }
  __LOCKSTEP_CUB_HD void move(D n) { value += (T)n; }
};
template <class T, class D = ptrdiff_t> struct ConstantInputIterator : __lockstep_iterator<ConstantInputIterator<T, D>, T, D> {
  T value;
  __LOCKSTEP_CUB_HD ConstantInputIterator(T v, D = 0) : value(v) {}
  template <class N> __LOCKSTEP_CUB_HD T operator[](N) const { return value; }
  __LOCKSTEP_CUB_HD void move(D) {}
};
template <class T, class F, class I, class D = ptrdiff_t> struct TransformInputIterator : __lockstep_iterator<TransformInputIterator<T, F, I, D>, T, D> {
  I from;
  F function;
  __LOCKSTEP_CUB_HD TransformInputIterator(I i, F f) : from(i), function(f) {}
  template <class N> __LOCKSTEP_CUB_HD T operator[](N n) const {
    F f = function;
    return f(from[n]);
  }
  __LOCKSTEP_CUB_HD void move(D n) { from += n; }
};
template <class I, class D = ptrdiff_t, class T = typename std::iterator_traits<I>::value_type>
struct ArgIndexInputIterator : __lockstep_iterator<ArgIndexInputIterator<I, D, T>, KeyValuePair<D, T>, D> {
  I from;
  D at;
  __LOCKSTEP_CUB_HD ArgIndexInputIterator(I i, D n = 0) : from(i), at(n) {}
  template <class N> __LOCKSTEP_CUB_HD KeyValuePair<D, T> operator[](N n) const { return KeyValuePair<D, T>(at + (D)n, from[at + (D)n]); }
  __LOCKSTEP_CUB_HD void move(D n) { at += n; }
};
} // namespace cub
