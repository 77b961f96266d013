// CUB: arrays of keys in order, with or without values.
#pragma once
#pragma GCC system_header
#include "dispatch.cuh"

namespace cub {
struct DeviceRadixSort {
  template <class K, class V> static cudaError_t run(void *s, size_t &bytes, const K *keys, K *to_keys, const V *values, V *to_values, long long n, int begin, int end, bool down, cudaStream_t stream) {
    constexpr bool pairs = !std::is_same<V, NullType>::value;
    size_t first = (n * sizeof(K) + 255) / 256 * 256;
    if (__lockstep_asks(s, bytes, first + (pairs ? n * sizeof(V) : 0))) return cudaSuccess;
    K *spare_keys = (K *)s;
    V *spare_values = (V *)((char *)s + first);
    int digits = (end - begin + 3) / 4;
    if (digits == 0) {
      cudaMemcpyAsync(to_keys, keys, n * sizeof(K), cudaMemcpyDeviceToDevice, stream);
      if (pairs) cudaMemcpyAsync(to_values, values, n * sizeof(V), cudaMemcpyDeviceToDevice, stream);
    }
    // The last digit goes to where the caller wants them; the first is read where they are, which may be the same.
    for (int d = 0; d < digits; ++d) {
      bool last = (digits - d) % 2 == 1;
      if (d == 0 && last && (const K *)to_keys == keys) {
        cudaMemcpyAsync(spare_keys, keys, n * sizeof(K), cudaMemcpyDeviceToDevice, stream);
        if (pairs) cudaMemcpyAsync(spare_values, values, n * sizeof(V), cudaMemcpyDeviceToDevice, stream);
        keys = spare_keys, values = spare_values;
      }
      K *next_keys = last ? to_keys : spare_keys;
      V *next_values = last ? to_values : spare_values;
      __LOCKSTEP_CUB_LAUNCH(__lockstep_sort, 1, stream, keys, values, next_keys, next_values, n, begin + 4 * d, end, down, pairs);
      keys = next_keys, values = next_values;
    }
    return cudaPeekAtLastError();
  }
#define __LOCKSTEP_SORT(suffix, down)                                                                          \
  template <class K, class N> static cudaError_t SortKeys##suffix(void *s, size_t &bytes, const K *in, K *out, N n, int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) { \
    return run<K, NullType>(s, bytes, in, out, nullptr, nullptr, n, begin, end, down, stream);                 \
  }                                                                                                            \
  template <class K, class V, class N> static cudaError_t SortPairs##suffix(void *s, size_t &bytes, const K *in, K *out, const V *from, V *to, N n, int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) { \
    return run<K, V>(s, bytes, in, out, from, to, n, begin, end, down, stream);                                \
  }                                                                                                            \
  template <class K, class N> static cudaError_t SortKeys##suffix(void *s, size_t &bytes, DoubleBuffer<K> &keys, N n, int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) { \
    cudaError_t r = run<K, NullType>(s, bytes, keys.Current(), keys.Alternate(), nullptr, nullptr, n, begin, end, down, stream); \
    if (s) keys.selector ^= 1;                                                                                 \
    return r;                                                                                                  \
  }                                                                                                            \
  template <class K, class V, class N> static cudaError_t SortPairs##suffix(void *s, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, N n, int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) { \
    cudaError_t r = run<K, V>(s, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), n, begin, end, down, stream); \
    if (s) keys.selector ^= 1, values.selector ^= 1;                                                           \
    return r;                                                                                                  \
  }
  __LOCKSTEP_SORT(, false)
  __LOCKSTEP_SORT(Descending, true)
#undef __LOCKSTEP_SORT
};
} // namespace cub
