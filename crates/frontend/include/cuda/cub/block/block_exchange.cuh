// CUB: items of a block or a warp put into another arrangement.
#pragma once
#pragma GCC system_header
#include "../util_type.cuh"

namespace cub {
// `TOGETHER` synchronises the threads that exchange.
template <class T, int N, int THREADS, class TOGETHER> struct __lockstep_exchange {
  __lockstep_storage<T, N * THREADS> items;
  template <class O, class F, class G> __LOCKSTEP_CUB void exchange(T (&in)[N], O (&out)[N], TOGETHER together, F to, G from) {
#pragma unroll
    for (int i = 0; i < N; ++i) items[to(i)] = in[i];
    together();
#pragma unroll
    for (int i = 0; i < N; ++i) out[i] = items[from(i)];
  }
};

#define __LOCKSTEP_EXCHANGES(THREADS)                                                                          \
  template <class O> __LOCKSTEP_CUB void StripedToBlocked(T (&in)[N], O (&out)[N]) {                           \
    storage.exchange(in, out, together, [&](int i) { return i * THREADS + thread; }, [&](int i) { return thread * N + i; }); \
  }                                                                                                            \
  template <class O> __LOCKSTEP_CUB void BlockedToStriped(T (&in)[N], O (&out)[N]) {                           \
    storage.exchange(in, out, together, [&](int i) { return thread * N + i; }, [&](int i) { return i * THREADS + thread; }); \
  }                                                                                                            \
  template <class O, class R> __LOCKSTEP_CUB void ScatterToBlocked(T (&in)[N], O (&out)[N], R (&ranks)[N]) {   \
    storage.exchange(in, out, together, [&](int i) { return (int)ranks[i]; }, [&](int i) { return thread * N + i; }); \
  }                                                                                                            \
  template <class O, class R> __LOCKSTEP_CUB void ScatterToStriped(T (&in)[N], O (&out)[N], R (&ranks)[N]) {   \
    storage.exchange(in, out, together, [&](int i) { return (int)ranks[i]; }, [&](int i) { return i * THREADS + thread; }); \
  }                                                                                                            \
  __LOCKSTEP_CUB void StripedToBlocked(T (&items)[N]) { StripedToBlocked(items, items); }                      \
  __LOCKSTEP_CUB void BlockedToStriped(T (&items)[N]) { BlockedToStriped(items, items); }                      \
  template <class R> __LOCKSTEP_CUB void ScatterToBlocked(T (&items)[N], R (&ranks)[N]) { ScatterToBlocked(items, items, ranks); } \
  template <class R> __LOCKSTEP_CUB void ScatterToStriped(T (&items)[N], R (&ranks)[N]) { ScatterToStriped(items, items, ranks); }

template <class T, int X, int N, bool SLICED = false, int Y = 1, int Z = 1, int ARCH = 0> class BlockExchange {
  struct Together {
    __LOCKSTEP_CUB void operator()() const { __syncthreads(); }
  };
  using Storage = __lockstep_exchange<T, N, X * Y * Z, Together>;
  Storage &storage;
  int thread;
  Together together;
  static __LOCKSTEP_CUB Storage &own() {
    __shared__ Storage storage;
    return storage;
  }

public:
  struct TempStorage : Storage {};
  __LOCKSTEP_CUB BlockExchange() : storage(own()), thread(RowMajorTid(X, Y, Z)) {}
  __LOCKSTEP_CUB BlockExchange(TempStorage &s) : storage(s), thread(RowMajorTid(X, Y, Z)) {}
  __LOCKSTEP_EXCHANGES(X *Y *Z)
};
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
template <class T, int N, int WIDTH = 32, int ARCH = 0, WarpExchangeAlgorithm ALGORITHM = WARP_EXCHANGE_SMEM> class WarpExchange {
  struct Together {
    unsigned mask;
    __LOCKSTEP_CUB void operator()() const { __syncwarp(mask); }
  };
  using Storage = __lockstep_exchange<T, N, WIDTH, Together>;
  Storage &storage;
  int thread;
  Together together;

public:
  struct TempStorage : Storage {};
  __LOCKSTEP_CUB WarpExchange(TempStorage &s) : storage(s), thread((int)(LaneId() % WIDTH)), together{WarpMask<WIDTH>(LaneId() / WIDTH)} {}
  __LOCKSTEP_EXCHANGES(WIDTH)
};
#undef __LOCKSTEP_EXCHANGES
} // namespace cub
