// CUB: a block's keys in order, with or without values. Each item looks for its rank among all keys.
#pragma once
#pragma GCC system_header
#include "block_exchange.cuh"

namespace cub {
template <class K, int X, int N, class V = NullType, int BITS = 4, bool MEMOIZE = true, int SCAN = 0, int SHARED = 0, int Y = 1, int Z = 1, int ARCH = 0>
class BlockRadixSort {
  enum { THREADS = X * Y * Z, ALL = THREADS * N };
  using Bits = typename Traits<K>::UnsignedBits;
  struct Storage {
    __lockstep_storage<Bits, ALL> keys;
    __lockstep_storage<V, std::is_same<V, NullType>::value ? 1 : ALL> values;
  };
  Storage &storage;
  int thread;
  static __LOCKSTEP_CUB Storage &own() {
    __shared__ Storage storage;
    return storage;
  }
  template <bool DOWN, bool STRIPED, class... Values> __LOCKSTEP_CUB void sort(K (&keys)[N], int begin, int end, Values &...values) {
    Bits bits[N];
    int rank[N];
    Bits wanted = Bits(end >= (int)sizeof(K) * 8 ? ~Bits(0) : (Bits(1) << end) - 1) & Bits(~Bits(0) << begin);
#pragma unroll
    for (int i = 0; i < N; ++i) {
      Bits raw;
      __builtin_memcpy(&raw, &keys[i], sizeof(K));
      bits[i] = Traits<K>::TwiddleIn(raw);
      storage.keys[thread * N + i] = bits[i];
      rank[i] = 0;
    }
    __syncthreads();
    for (int other = 0; other < ALL; ++other) {
      Bits o = storage.keys[other] & wanted;
#pragma unroll
      for (int i = 0; i < N; ++i) {
        Bits own = bits[i] & wanted;
        if ((DOWN ? o > own : o < own) || (o == own && other < thread * N + i)) ++rank[i];
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; ++i) storage.keys[rank[i]] = bits[i];
    (scatter(rank, values), ...);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; ++i) {
      Bits raw = Traits<K>::TwiddleOut(storage.keys[STRIPED ? i * THREADS + thread : thread * N + i]);
      __builtin_memcpy(&keys[i], &raw, sizeof(K));
    }
    (take<STRIPED>(values), ...);
  }
  __LOCKSTEP_CUB void scatter(int (&rank)[N], V (&values)[N]) {
#pragma unroll
    for (int i = 0; i < N; ++i) storage.values[rank[i]] = values[i];
  }
  template <bool STRIPED> __LOCKSTEP_CUB void take(V (&values)[N]) {
#pragma unroll
    for (int i = 0; i < N; ++i) values[i] = storage.values[STRIPED ? i * THREADS + thread : thread * N + i];
  }

public:
  struct TempStorage : Storage {};
  __LOCKSTEP_CUB BlockRadixSort() : storage(own()), thread(RowMajorTid(X, Y, Z)) {}
  __LOCKSTEP_CUB BlockRadixSort(TempStorage &s) : storage(s), thread(RowMajorTid(X, Y, Z)) {}
#define __LOCKSTEP_SORT(name, down, striped)                                                                   \
  __LOCKSTEP_CUB void name(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8) { sort<down, striped>(keys, begin, end); } \
  __LOCKSTEP_CUB void name(K (&keys)[N], V (&values)[N], int begin = 0, int end = sizeof(K) * 8) { sort<down, striped>(keys, begin, end, values); }
  __LOCKSTEP_SORT(Sort, false, false)
  __LOCKSTEP_SORT(SortDescending, true, false)
  __LOCKSTEP_SORT(SortBlockedToStriped, false, true)
  __LOCKSTEP_SORT(SortDescendingBlockedToStriped, true, true)
#undef __LOCKSTEP_SORT
};
} // namespace cub
