// CUB: what its parts have in common. These headers have CUB's interface over code of our own: how a block or a warp
// computes what it does is not how CUB does it, but between which threads it goes through shared memory, and where the
// caller needs a barrier before it uses the storage again, are the same.
#pragma once
#pragma GCC system_header
#include "../lockstep_cuda_prelude.h"
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
// CUB brings it along.
#ifdef __LOCKSTEP_PROGRAM__
#include <chrono>
#endif

#define CUB_VERSION 200200
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX
#define CUB_PTX_ARCH __CUDA_ARCH__
#define CUB_WARP_THREADS(a) 32
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_MIN(a, b) (((a) < (b)) ? (a) : (b))
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y) - 1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CubDebug(e) (e)
#define CubDebugExit(e) (void)(e)
#define __LOCKSTEP_CUB __device__ __forceinline__
#define __LOCKSTEP_CUB_HD __host__ __device__ __forceinline__

namespace cub {
struct NullType {};
template <int N> struct Int2Type { enum { VALUE = N }; };
template <bool C, class T, class F> struct If { using Type = typename std::conditional<C, T, F>::type; };
template <class A, class B> struct Equals { enum { VALUE = std::is_same<A, B>::value, NEGATE = !VALUE }; };
template <int N, int AT = N, int COUNT = 0> struct Log2 { enum { VALUE = Log2<N, (AT >> 1), COUNT + 1>::VALUE }; };
template <int N, int COUNT> struct Log2<N, 0, COUNT> { enum { VALUE = (1 << (COUNT - 1) < N) ? COUNT : COUNT - 1 }; };
template <int N> struct PowerOfTwo { enum { VALUE = ((N & (N - 1)) == 0) }; };

template <class K, class V> struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  __LOCKSTEP_CUB_HD KeyValuePair() {}
  __LOCKSTEP_CUB_HD KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
  __LOCKSTEP_CUB_HD bool operator!=(const KeyValuePair &o) const { return value != o.value || key != o.key; }
};

// Memory for a T whose constructor does not run: what shared memory needs.
template <class T, int N> struct __lockstep_bytes {
  alignas(T) unsigned char bytes[N * sizeof(T)];
  __LOCKSTEP_CUB T &operator[](int i) { return reinterpret_cast<T *>(bytes)[i]; }
};
template <class T, int N> struct __lockstep_plain {
  T values[N];
  __LOCKSTEP_CUB T &operator[](int i) { return values[i]; }
};
template <class T, int N>
using __lockstep_storage = typename std::conditional<std::is_trivially_default_constructible<T>::value, __lockstep_plain<T, N>, __lockstep_bytes<T, N>>::type;
template <class T> struct Uninitialized : __lockstep_bytes<T, 1> {
  __LOCKSTEP_CUB T &Alias() { return (*this)[0]; }
};

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };
template <size_t> struct __lockstep_unsigned { typedef unsigned long long type; };
template <> struct __lockstep_unsigned<1> { typedef unsigned char type; };
template <> struct __lockstep_unsigned<2> { typedef unsigned short type; };
template <> struct __lockstep_unsigned<4> { typedef unsigned type; };
// Keys as unsigned numbers in the same order.
template <class T> struct Traits {
  typedef typename __lockstep_unsigned<sizeof(T)>::type UnsignedBits;
  static constexpr bool IS_UNSIGNED = std::is_unsigned<T>::value || std::is_same<T, bool>::value;
  static constexpr bool IS_SIGNED = std::is_integral<T>::value && !IS_UNSIGNED;
  static constexpr bool IS_FLOAT = !IS_UNSIGNED && !IS_SIGNED;
  static constexpr Category CATEGORY = IS_UNSIGNED ? UNSIGNED_INTEGER : IS_SIGNED ? SIGNED_INTEGER : FLOATING_POINT;
  static constexpr UnsignedBits HIGH_BIT = UnsignedBits(1) << (sizeof(T) * 8 - 1);
  static constexpr bool PRIMITIVE = true;
  static __LOCKSTEP_CUB_HD UnsignedBits TwiddleIn(UnsignedBits k) {
    if (IS_UNSIGNED) return k;
    if (IS_SIGNED) return k ^ HIGH_BIT;
    return k ^ ((k & HIGH_BIT) ? UnsignedBits(-1) : HIGH_BIT);
  }
  static __LOCKSTEP_CUB_HD UnsignedBits TwiddleOut(UnsignedBits k) {
    if (IS_UNSIGNED) return k;
    if (IS_SIGNED) return k ^ HIGH_BIT;
    return k ^ ((k & HIGH_BIT) ? HIGH_BIT : UnsignedBits(-1));
  }
  static __LOCKSTEP_CUB_HD T Max() { return std::numeric_limits<T>::max(); }
  static __LOCKSTEP_CUB_HD T Lowest() { return std::numeric_limits<T>::lowest(); }
};
template <class T> struct NumericTraits : Traits<T> {};

template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  __LOCKSTEP_CUB_HD DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
  __LOCKSTEP_CUB_HD DoubleBuffer(T *now, T *other) : d_buffers{now, other}, selector(0) {}
  __LOCKSTEP_CUB_HD T *Current() { return d_buffers[selector]; }
  __LOCKSTEP_CUB_HD T *Alternate() { return d_buffers[selector ^ 1]; }
};

__LOCKSTEP_CUB unsigned LaneId() { return __lane_id(); }
__LOCKSTEP_CUB int RowMajorTid(int x, int y, int z) { return (threadIdx.z * y + threadIdx.y) * x + threadIdx.x; }
__LOCKSTEP_CUB unsigned WarpId() { return RowMajorTid(blockDim.x, blockDim.y, blockDim.z) / 32; }
__LOCKSTEP_CUB void CTA_SYNC() { __syncthreads(); }
__LOCKSTEP_CUB void WARP_SYNC(unsigned mask) { __syncwarp(mask); }

// A shuffle of any type, word by word.
template <class T, class F> __LOCKSTEP_CUB T __lockstep_by_words(const T &v, F shuffle) {
  if constexpr (std::is_arithmetic<T>::value && sizeof(T) >= 4) return shuffle(v);
  else {
    constexpr int count = (sizeof(T) + 3) / 4;
    unsigned words[count] = {};
    __builtin_memcpy(words, &v, sizeof(T));
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = shuffle(words[i]);
    union Result {
      T value;
      unsigned words[count];
      __LOCKSTEP_CUB Result() {}
      __LOCKSTEP_CUB ~Result() {}
    } r;
    __builtin_memcpy((void *)&r, words, sizeof(T));
    return r.value;
  }
}
template <int WIDTH, class T> __LOCKSTEP_CUB T ShuffleDown(T v, int by, int, unsigned mask) {
  return __lockstep_by_words(v, [&](auto w) { return __shfl_down_sync(mask, w, by, WIDTH); });
}
template <int WIDTH, class T> __LOCKSTEP_CUB T ShuffleUp(T v, int by, int, unsigned mask) {
  return __lockstep_by_words(v, [&](auto w) { return __shfl_up_sync(mask, w, by, WIDTH); });
}
template <int WIDTH, class T> __LOCKSTEP_CUB T ShuffleIndex(T v, int from, unsigned mask) {
  return __lockstep_by_words(v, [&](auto w) { return __shfl_sync(mask, w, from, WIDTH); });
}

// The lanes of a warp that a block of so many threads has.
__LOCKSTEP_CUB unsigned __lockstep_lanes(int thread, int threads) {
  int left = threads - thread / 32 * 32;
  return left >= 32 ? ~0u : (1u << left) - 1;
}
template <int WIDTH> __LOCKSTEP_CUB unsigned WarpMask(unsigned warp) {
  if (WIDTH == 32) return ~0u;
  unsigned own = WIDTH == 32 ? ~0u : (1u << WIDTH % 32) - 1;
  return PowerOfTwo<WIDTH>::VALUE ? own << warp % (32 / WIDTH) * WIDTH : own;
}
} // namespace cub
