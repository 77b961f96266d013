// CUDA's atomic functions. Each is a declaration under the name __lockstep_atomic_<op>_<type>_<scope>, so that
// operation, width and scope reach the lowering unambiguously; all of them are relaxed, as CUDA says.
#pragma once

#define __LOCKSTEP_ATOMIC(fn, T, to) __device__ T fn(T *, T) __asm__("__lockstep_atomic_" to);
#define __LOCKSTEP_ATOMIC_CAS(fn, T, to) __device__ T fn(T *, T, T) __asm__("__lockstep_atomic_cas_" to);
#define __LOCKSTEP_ATOMIC_BITS(fn, op, S)                                                                      \
  __LOCKSTEP_ATOMIC(fn, int, op "_i32_" S)                                                                     \
  __LOCKSTEP_ATOMIC(fn, unsigned, op "_i32_" S)                                                                \
  __LOCKSTEP_ATOMIC(fn, long long, op "_i64_" S)                                                               \
  __LOCKSTEP_ATOMIC(fn, unsigned long long, op "_i64_" S)
#define __LOCKSTEP_ATOMIC_ORDER(fn, op, S)                                                                     \
  __LOCKSTEP_ATOMIC(fn, int, op "_i32_" S)                                                                     \
  __LOCKSTEP_ATOMIC(fn, unsigned, "u" op "_i32_" S)                                                            \
  __LOCKSTEP_ATOMIC(fn, long long, op "_i64_" S)                                                               \
  __LOCKSTEP_ATOMIC(fn, unsigned long long, "u" op "_i64_" S)
// One scope: S is the name the lowering sees, X the suffix that CUDA appends.
#define __LOCKSTEP_ATOMICS(S, X)                                                                               \
  __LOCKSTEP_ATOMIC(atomicAdd##X, int, "add_i32_" S)                                                           \
  __LOCKSTEP_ATOMIC(atomicAdd##X, unsigned, "add_i32_" S)                                                      \
  __LOCKSTEP_ATOMIC(atomicAdd##X, unsigned long long, "add_i64_" S)                                            \
  __LOCKSTEP_ATOMIC(atomicAdd##X, float, "fadd_f32_" S)                                                        \
  __LOCKSTEP_ATOMIC(atomicAdd##X, double, "fadd_f64_" S)                                                       \
  __LOCKSTEP_ATOMIC(atomicSub##X, int, "sub_i32_" S)                                                           \
  __LOCKSTEP_ATOMIC(atomicSub##X, unsigned, "sub_i32_" S)                                                      \
  __LOCKSTEP_ATOMIC(atomicExch##X, int, "xchg_i32_" S)                                                         \
  __LOCKSTEP_ATOMIC(atomicExch##X, unsigned, "xchg_i32_" S)                                                    \
  __LOCKSTEP_ATOMIC(atomicExch##X, unsigned long long, "xchg_i64_" S)                                          \
  __LOCKSTEP_ATOMIC_ORDER(atomicMin##X, "min", S)                                                              \
  __LOCKSTEP_ATOMIC_ORDER(atomicMax##X, "max", S)                                                              \
  __LOCKSTEP_ATOMIC(atomicInc##X, unsigned, "inc_i32_" S)                                                      \
  __LOCKSTEP_ATOMIC(atomicDec##X, unsigned, "dec_i32_" S)                                                      \
  __LOCKSTEP_ATOMIC_BITS(atomicAnd##X, "and", S)                                                               \
  __LOCKSTEP_ATOMIC_BITS(atomicOr##X, "or", S)                                                                 \
  __LOCKSTEP_ATOMIC_BITS(atomicXor##X, "xor", S)                                                               \
  __LOCKSTEP_ATOMIC_CAS(atomicCAS##X, unsigned short, "i16_" S)                                                \
  __LOCKSTEP_ATOMIC_CAS(atomicCAS##X, int, "i32_" S)                                                           \
  __LOCKSTEP_ATOMIC_CAS(atomicCAS##X, unsigned, "i32_" S)                                                      \
  __LOCKSTEP_ATOMIC_CAS(atomicCAS##X, unsigned long long, "i64_" S)                                            \
  __LOCKSTEP_DEVICE float atomicExch##X(float *p, float v) {                                                   \
    return __builtin_bit_cast(float, atomicExch##X((int *)p, __builtin_bit_cast(int, v)));                     \
  }

__LOCKSTEP_ATOMICS("device", )
__LOCKSTEP_ATOMICS("block", _block)
__LOCKSTEP_ATOMICS("system", _system)

#undef __LOCKSTEP_ATOMIC
#undef __LOCKSTEP_ATOMIC_CAS
#undef __LOCKSTEP_ATOMIC_BITS
#undef __LOCKSTEP_ATOMIC_ORDER
#undef __LOCKSTEP_ATOMICS
