// CUB: reductions of arrays.
#pragma once
#pragma GCC system_header
#include "dispatch.cuh"

namespace cub {
struct DeviceReduce {
  template <class I, class O, class Op, class T, class N> static cudaError_t Reduce(void *s, size_t &bytes, I in, O out, N n, Op op, T first, cudaStream_t stream = 0, bool = false) {
    if (__lockstep_asks(s, bytes, 1)) return cudaSuccess;
    ConstantInputIterator<long long> begin(0), end(n);
    __LOCKSTEP_CUB_LAUNCH(__lockstep_reduce<T>, 1, stream, in, out, begin, end, op, first);
    return cudaPeekAtLastError();
  }
  template <class I, class O, class N> static cudaError_t Sum(void *s, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    using T = typename std::conditional<std::is_same<__lockstep_value<I>, bool>::value, int, __lockstep_value<I>>::type;
    return Reduce(s, bytes, in, out, n, cub::Sum(), T(), stream);
  }
  template <class I, class O, class N> static cudaError_t Min(void *s, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    return Reduce(s, bytes, in, out, n, cub::Min(), Traits<__lockstep_value<I>>::Max(), stream);
  }
  template <class I, class O, class N> static cudaError_t Max(void *s, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    return Reduce(s, bytes, in, out, n, cub::Max(), Traits<__lockstep_value<I>>::Lowest(), stream);
  }
  template <class I, class O, class N> static cudaError_t ArgMin(void *s, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    using V = __lockstep_value<I>;
    return Reduce(s, bytes, ArgIndexInputIterator<I, int, V>(in), out, n, cub::ArgMin(), KeyValuePair<int, V>(1, Traits<V>::Max()), stream);
  }
  template <class I, class O, class N> static cudaError_t ArgMax(void *s, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    using V = __lockstep_value<I>;
    return Reduce(s, bytes, ArgIndexInputIterator<I, int, V>(in), out, n, cub::ArgMax(), KeyValuePair<int, V>(1, Traits<V>::Lowest()), stream);
  }
};
struct DeviceSegmentedReduce {
  template <class I, class O, class B, class E, class Op, class T> static cudaError_t Reduce(void *s, size_t &bytes, I in, O out, int count, B begins, E ends, Op op, T first, cudaStream_t stream = 0, bool = false) {
    if (__lockstep_asks(s, bytes, 1) || count == 0) return cudaSuccess;
    __LOCKSTEP_CUB_LAUNCH(__lockstep_reduce<T>, count, stream, in, out, begins, ends, op, first);
    return cudaPeekAtLastError();
  }
  template <class I, class O, class B, class E> static cudaError_t Sum(void *s, size_t &bytes, I in, O out, int count, B begins, E ends, cudaStream_t stream = 0, bool = false) {
    return Reduce(s, bytes, in, out, count, begins, ends, cub::Sum(), __lockstep_value<I>(), stream);
  }
  template <class I, class O, class B, class E> static cudaError_t Min(void *s, size_t &bytes, I in, O out, int count, B begins, E ends, cudaStream_t stream = 0, bool = false) {
    return Reduce(s, bytes, in, out, count, begins, ends, cub::Min(), Traits<__lockstep_value<I>>::Max(), stream);
  }
  template <class I, class O, class B, class E> static cudaError_t Max(void *s, size_t &bytes, I in, O out, int count, B begins, E ends, cudaStream_t stream = 0, bool = false) {
    return Reduce(s, bytes, in, out, count, begins, ends, cub::Max(), Traits<__lockstep_value<I>>::Lowest(), stream);
  }
};
} // namespace cub
