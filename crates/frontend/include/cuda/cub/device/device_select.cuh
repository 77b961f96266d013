// CUB: items of arrays that are chosen by flags, by a condition, or as the first of their run.
#pragma once
#pragma GCC system_header
#include "dispatch.cuh"

namespace cub {
template <class I> struct __lockstep_heads {
  I in;
  __LOCKSTEP_CUB bool operator[](long long i) const { return i == 0 || !(in[i] == in[i - 1]); }
};
template <class I, class F> struct __lockstep_chosen {
  I in;
  F function;
  __LOCKSTEP_CUB bool operator[](long long i) const {
    F f = function;
    return f(in[i]);
  }
};
template <bool REST> struct __lockstep_selection {
  template <class I, class F, class O, class C, class N> static cudaError_t run(void *s, size_t &bytes, I in, F flags, O out, C count, N n, cudaStream_t stream) {
    if (__lockstep_asks(s, bytes, 1)) return cudaSuccess;
    __LOCKSTEP_CUB_LAUNCH(__lockstep_select, 1, stream, in, flags, out, count, (long long)n, REST);
    return cudaPeekAtLastError();
  }
  template <class I, class F, class O, class C, class N> static cudaError_t Flagged(void *s, size_t &bytes, I in, F flags, O out, C count, N n, cudaStream_t stream = 0, bool = false) {
    return run(s, bytes, in, flags, out, count, n, stream);
  }
  template <class I, class O, class C, class N, class Op> static cudaError_t If(void *s, size_t &bytes, I in, O out, C count, N n, Op op, cudaStream_t stream = 0, bool = false) {
    return run(s, bytes, in, __lockstep_chosen<I, Op>{in, op}, out, count, n, stream);
  }
};
struct DeviceSelect : __lockstep_selection<false> {
  template <class I, class O, class C, class N> static cudaError_t Unique(void *s, size_t &bytes, I in, O out, C count, N n, cudaStream_t stream = 0, bool = false) {
    return run(s, bytes, in, __lockstep_heads<I>{in}, out, count, n, stream);
  }
};
struct DevicePartition : __lockstep_selection<true> {};
} // namespace cub
