// Shuffles, votes and matches, with a mask and in their old form without one, and the lane registers.
#pragma once

__LOCKSTEP_OPAQUE int __lockstep_shfl_idx_i32(int v, int lane, int c);
__LOCKSTEP_OPAQUE int __lockstep_shfl_up_i32(int v, int lane, int c);
__LOCKSTEP_OPAQUE int __lockstep_shfl_down_i32(int v, int lane, int c);
__LOCKSTEP_OPAQUE int __lockstep_shfl_bfly_i32(int v, int lane, int c);
__LOCKSTEP_OPAQUE int __lockstep_vote_any(int);
__LOCKSTEP_OPAQUE int __lockstep_vote_all(int);
__LOCKSTEP_OPAQUE unsigned __lockstep_vote_ballot(int);

// PTX shuffles 32 bits, so 64 take two shuffles; smaller integers and enumerations are promoted to int, as a call of
// CUDA's overloads would. `c` is PTX's operand of segment mask and clamp, W one shuffle of the word w.
#define __LOCKSTEP_SHUFFLE_BODY(W)                                                                             \
  using R = decltype(+v);                                                                                      \
  int c = (32 - width) << 8 | clamp, at = (int)lane;                                                           \
  R r = v;                                                                                                     \
  if constexpr (sizeof(R) == 4) {                                                                              \
    int w = __builtin_bit_cast(int, r);                                                                        \
    return __builtin_bit_cast(R, W);                                                                           \
  } else {                                                                                                     \
    unsigned long long bits = __builtin_bit_cast(unsigned long long, r);                                       \
    int w = (int)bits;                                                                                         \
    unsigned lo = (unsigned)W;                                                                                 \
    w = (int)(bits >> 32);                                                                                     \
    return __builtin_bit_cast(R, (unsigned long long)(unsigned)W << 32 | lo);                                  \
  }
#define __LOCKSTEP_SHUFFLE(fn, op, L, limit)                                                                   \
  template <class T> __LOCKSTEP_DEVICE auto fn##_sync(unsigned mask, T v, L lane, int width = 32)              \
      -> typename __lockstep_enable_if<__is_arithmetic(T) || __is_enum(T), decltype(+v)>::type {               \
    constexpr int clamp = limit;                                                                               \
    __LOCKSTEP_SHUFFLE_BODY(__nvvm_shfl_sync_##op##_i32((int)mask, w, at, c))                                  \
  }                                                                                                            \
  template <class T> __LOCKSTEP_DEVICE auto fn(T v, L lane, int width = 32)                                    \
      -> typename __lockstep_enable_if<__is_arithmetic(T) || __is_enum(T), decltype(+v)>::type {               \
    constexpr int clamp = limit;                                                                               \
    __LOCKSTEP_SHUFFLE_BODY(__lockstep_shfl_##op##_i32(w, at, c))                                              \
  }
__LOCKSTEP_SHUFFLE(__shfl, idx, int, 0x1f)
__LOCKSTEP_SHUFFLE(__shfl_up, up, unsigned, 0)
__LOCKSTEP_SHUFFLE(__shfl_down, down, unsigned, 0x1f)
__LOCKSTEP_SHUFFLE(__shfl_xor, bfly, int, 0x1f)
#undef __LOCKSTEP_SHUFFLE
#undef __LOCKSTEP_SHUFFLE_BODY

__LOCKSTEP_DEVICE int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
__LOCKSTEP_DEVICE int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
__LOCKSTEP_DEVICE int __uni_sync(unsigned mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
__LOCKSTEP_DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
__LOCKSTEP_DEVICE unsigned __activemask() { return __nvvm_activemask(); }
__LOCKSTEP_DEVICE int __all(int p) { return __lockstep_vote_all(p); }
__LOCKSTEP_DEVICE int __any(int p) { return __lockstep_vote_any(p); }
__LOCKSTEP_DEVICE unsigned __ballot(int p) { return __lockstep_vote_ballot(p); }

template <class T> __LOCKSTEP_DEVICE unsigned __match_any_sync(unsigned mask, T v) {
  auto r = +v;
  if constexpr (sizeof(r) == 4) return __nvvm_match_any_sync_i32(mask, __builtin_bit_cast(unsigned, r));
  else return __nvvm_match_any_sync_i64(mask, __builtin_bit_cast(unsigned long, r));
}
template <class T> __LOCKSTEP_DEVICE unsigned __match_all_sync(unsigned mask, T v, int *pred) {
  auto r = +v;
  if constexpr (sizeof(r) == 4) return __nvvm_match_all_sync_i32p(mask, __builtin_bit_cast(unsigned, r), pred);
  else return __nvvm_match_all_sync_i64p(mask, __builtin_bit_cast(unsigned long, r), pred);
}

__LOCKSTEP_DEVICE unsigned __lane_id() { return __nvvm_read_ptx_sreg_laneid(); }

// Warp reductions (compute capability 8): every lane of the mask takes the others' values one by one.
#define __LOCKSTEP_REDUCE(f, T, expr)                                                                          \
  __LOCKSTEP_DEVICE T f(unsigned mask, T v) {                                                                  \
    int first = __builtin_ctz(mask);                                                                           \
    T a = __shfl_sync(mask, v, first);                                                                         \
    for (int lane = first + 1; lane < 32; ++lane)                                                              \
      if (mask >> lane & 1) {                                                                                  \
        T b = __shfl_sync(mask, v, lane);                                                                      \
        a = expr;                                                                                              \
      }                                                                                                        \
    return a;                                                                                                  \
  }
__LOCKSTEP_REDUCE(__reduce_add_sync, unsigned, a + b)
__LOCKSTEP_REDUCE(__reduce_add_sync, int, (int)((unsigned)a + (unsigned)b))
__LOCKSTEP_REDUCE(__reduce_min_sync, unsigned, b < a ? b : a)
__LOCKSTEP_REDUCE(__reduce_min_sync, int, b < a ? b : a)
__LOCKSTEP_REDUCE(__reduce_max_sync, unsigned, b > a ? b : a)
__LOCKSTEP_REDUCE(__reduce_max_sync, int, b > a ? b : a)
__LOCKSTEP_REDUCE(__reduce_and_sync, unsigned, a & b)
__LOCKSTEP_REDUCE(__reduce_or_sync, unsigned, a | b)
__LOCKSTEP_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef __LOCKSTEP_REDUCE

// The position of the n-th set bit counted from `base`, upwards for n > 0 and downwards for n < 0.
__LOCKSTEP_DEVICE unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return mask >> base & 1 ? base : 0xffffffffu;
  for (int bit = (int)base; bit >= 0 && bit < 32; bit += n > 0 ? 1 : -1)
    if (mask >> bit & 1 && (n > 0 ? --n : ++n) == 0) return (unsigned)bit;
  return 0xffffffffu;
}
