// CUB: prefix sums of arrays.
#pragma once
#pragma GCC system_header
#include "dispatch.cuh"

namespace cub {
struct DeviceScan {
  template <bool INCLUSIVE, bool HAS_FIRST, class T, class I, class O, class Op, class N> static cudaError_t run(void *s, size_t &bytes, I in, O out, Op op, T first, N n, cudaStream_t stream) {
    if (__lockstep_asks(s, bytes, 1)) return cudaSuccess;
    __LOCKSTEP_CUB_LAUNCH((__lockstep_scan<INCLUSIVE, HAS_FIRST, T>), 1, stream, in, out, (long long)n, op, first);
    return cudaPeekAtLastError();
  }
  template <class I, class O, class Op, class T, class N> static cudaError_t ExclusiveScan(void *s, size_t &bytes, I in, O out, Op op, T first, N n, cudaStream_t stream = 0, bool = false) {
    return run<false, true, T>(s, bytes, in, out, op, first, n, stream);
  }
  template <class I, class O, class Op, class N> static cudaError_t InclusiveScan(void *s, size_t &bytes, I in, O out, Op op, N n, cudaStream_t stream = 0, bool = false) {
    return run<true, false>(s, bytes, in, out, op, __lockstep_value<I>(), n, stream);
  }
  template <class I, class O, class N, class = typename std::enable_if<std::is_integral<N>::value>::type> static cudaError_t ExclusiveSum(void *s, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    return run<false, true>(s, bytes, in, out, cub::Sum(), __lockstep_value<I>(), n, stream);
  }
  template <class I, class O, class N, class = typename std::enable_if<std::is_integral<N>::value>::type> static cudaError_t InclusiveSum(void *s, size_t &bytes, I in, O out, N n, cudaStream_t stream = 0, bool = false) {
    return run<true, false>(s, bytes, in, out, cub::Sum(), __lockstep_value<I>(), n, stream);
  }
  template <class I, class N> static cudaError_t ExclusiveSum(void *s, size_t &bytes, I data, N n, cudaStream_t stream = 0) { return ExclusiveSum(s, bytes, data, data, n, stream); }
  template <class I, class N> static cudaError_t InclusiveSum(void *s, size_t &bytes, I data, N n, cudaStream_t stream = 0) { return InclusiveSum(s, bytes, data, data, n, stream); }
};
} // namespace cub
