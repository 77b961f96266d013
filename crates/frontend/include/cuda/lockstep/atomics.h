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

// Atomic operations with an order and a scope, which reach the lowering as the last two arguments of __lockstep_atom_<op>_<type>:
// inlining makes them constants. Below, CUDA's __nv_atomic_* functions, and clang's __scoped_atomic_*, whose scope clang drops for
// NVPTX: both for 32 and 64 bits.
#define __LOCKSTEP_ATOM(T, to)                                                                                 \
  __device__ T __lockstep_atom_load(T *, int, int) __asm__("__lockstep_atom_load_" to);                        \
  __device__ void __lockstep_atom_store(T *, T, int, int) __asm__("__lockstep_atom_store_" to);                \
  __device__ T __lockstep_atom_xchg(T *, T, int, int) __asm__("__lockstep_atom_xchg_" to);                     \
  __device__ T __lockstep_atom_cas(T *, T, T, int, int) __asm__("__lockstep_atom_cas_" to);                    \
  __device__ T __lockstep_atom_add(T *, T, int, int) __asm__("__lockstep_atom_add_" to);                       \
  __device__ T __lockstep_atom_sub(T *, T, int, int) __asm__("__lockstep_atom_sub_" to);                       \
  __device__ T __lockstep_atom_and(T *, T, int, int) __asm__("__lockstep_atom_and_" to);                       \
  __device__ T __lockstep_atom_or(T *, T, int, int) __asm__("__lockstep_atom_or_" to);                         \
  __device__ T __lockstep_atom_xor(T *, T, int, int) __asm__("__lockstep_atom_xor_" to);                       \
  __device__ T __lockstep_atom_min(T *, T, int, int) __asm__("__lockstep_atom_min_" to);                       \
  __device__ T __lockstep_atom_umin(T *, T, int, int) __asm__("__lockstep_atom_umin_" to);                     \
  __device__ T __lockstep_atom_max(T *, T, int, int) __asm__("__lockstep_atom_max_" to);                       \
  __device__ T __lockstep_atom_umax(T *, T, int, int) __asm__("__lockstep_atom_umax_" to);
__LOCKSTEP_ATOM(int, "i32")
__LOCKSTEP_ATOM(long long, "i64")
#undef __LOCKSTEP_ATOM
__device__ float __lockstep_atom_fadd(float *, float, int, int) __asm__("__lockstep_atom_fadd_f32");
__device__ double __lockstep_atom_fadd(double *, double, int, int) __asm__("__lockstep_atom_fadd_f64");
__LOCKSTEP_OPAQUE void __lockstep_atom_fence(int scope, int order);


template <unsigned N> struct __lockstep_word;
template <> struct __lockstep_word<4> { using type = int; };
template <> struct __lockstep_word<8> { using type = long long; };
template <class T> struct __lockstep_plain { using type = T; };
template <class T> struct __lockstep_plain<const T> { using type = T; };
template <class T> struct __lockstep_plain<volatile T> { using type = T; };
template <class T> struct __lockstep_plain<const volatile T> { using type = T; };
#define __LOCKSTEP_VALUE typename __lockstep_plain<T>::type
#define __LOCKSTEP_WORD typename __lockstep_word<sizeof(T)>::type

template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_WORD __lockstep_to_word(T v) {
  __LOCKSTEP_WORD b;
  __builtin_memcpy(&b, &v, sizeof(T));
  return b;
}
template <class T, class B> __LOCKSTEP_DEVICE T __lockstep_from_word(B b) {
  T v;
  __builtin_memcpy(&v, &b, sizeof(T));
  return v;
}
#define __LOCKSTEP_TO(v) __lockstep_to_word<__LOCKSTEP_VALUE>(v)
#define __LOCKSTEP_FROM(b) __lockstep_from_word<__LOCKSTEP_VALUE>(b)
#define __LOCKSTEP_AT ((__LOCKSTEP_WORD *)p)

template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_VALUE __lockstep_scoped_load(T *p, int o, int s) {
  return __LOCKSTEP_FROM(__lockstep_atom_load(__LOCKSTEP_AT, s, o));
}
template <class T> __LOCKSTEP_DEVICE void __lockstep_scoped_store(T *p, __LOCKSTEP_VALUE v, int o, int s) {
  __lockstep_atom_store(__LOCKSTEP_AT, __LOCKSTEP_TO(v), s, o);
}
template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_VALUE __lockstep_scoped_exchange(T *p, __LOCKSTEP_VALUE v, int o, int s) {
  return __LOCKSTEP_FROM(__lockstep_atom_xchg(__LOCKSTEP_AT, __LOCKSTEP_TO(v), s, o));
}
template <class T>
__LOCKSTEP_DEVICE bool __lockstep_scoped_compare_exchange(T *p, __LOCKSTEP_VALUE *e, __LOCKSTEP_VALUE v, int o, int s) {
  __LOCKSTEP_WORD was = __LOCKSTEP_TO(*e), now = __lockstep_atom_cas(__LOCKSTEP_AT, was, __LOCKSTEP_TO(v), s, o);
  *e = __LOCKSTEP_FROM(now);
  return now == was;
}
#define __LOCKSTEP_FETCH(op)                                                                                   \
  template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_VALUE __lockstep_scoped_##op(T *p, __LOCKSTEP_VALUE v, int o, int s) { \
    return __LOCKSTEP_FROM(__lockstep_atom_##op(__LOCKSTEP_AT, __LOCKSTEP_TO(v), s, o));                       \
  }
__LOCKSTEP_FETCH(and)
__LOCKSTEP_FETCH(or)
__LOCKSTEP_FETCH(xor)
#undef __LOCKSTEP_FETCH
template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_VALUE __lockstep_scoped_add(T *p, __LOCKSTEP_VALUE v, int o, int s) {
  if constexpr (__is_floating_point(T)) return __lockstep_atom_fadd((__LOCKSTEP_VALUE *)p, v, s, o);
  else return __LOCKSTEP_FROM(__lockstep_atom_add(__LOCKSTEP_AT, __LOCKSTEP_TO(v), s, o));
}
template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_VALUE __lockstep_scoped_sub(T *p, __LOCKSTEP_VALUE v, int o, int s) {
  if constexpr (__is_floating_point(T)) return __lockstep_atom_fadd((__LOCKSTEP_VALUE *)p, -v, s, o);
  else return __LOCKSTEP_FROM(__lockstep_atom_sub(__LOCKSTEP_AT, __LOCKSTEP_TO(v), s, o));
}
#define __LOCKSTEP_EXTREME(op)                                                                                 \
  template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_VALUE __lockstep_scoped_##op(T *p, __LOCKSTEP_VALUE v, int o, int s) { \
    if constexpr (__is_signed(T)) return __LOCKSTEP_FROM(__lockstep_atom_##op(__LOCKSTEP_AT, __LOCKSTEP_TO(v), s, o));   \
    else return __LOCKSTEP_FROM(__lockstep_atom_u##op(__LOCKSTEP_AT, __LOCKSTEP_TO(v), s, o));                 \
  }
__LOCKSTEP_EXTREME(min)
__LOCKSTEP_EXTREME(max)
#undef __LOCKSTEP_EXTREME

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 10
#define __NV_THREAD_SCOPE_BLOCK 2
// Without clusters, a block is one of its own.
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 1
#define __NV_THREAD_SCOPE_SYSTEM 0

#define __LOCKSTEP_SCOPE int o, int s = __NV_THREAD_SCOPE_SYSTEM
template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_VALUE __nv_atomic_load_n(T *p, __LOCKSTEP_SCOPE) { return __lockstep_scoped_load(p, o, s); }
template <class T> __LOCKSTEP_DEVICE void __nv_atomic_load(T *p, __LOCKSTEP_VALUE *r, __LOCKSTEP_SCOPE) { *r = __lockstep_scoped_load(p, o, s); }
template <class T> __LOCKSTEP_DEVICE void __nv_atomic_store_n(T *p, __LOCKSTEP_VALUE v, __LOCKSTEP_SCOPE) { __lockstep_scoped_store(p, v, o, s); }
template <class T> __LOCKSTEP_DEVICE void __nv_atomic_store(T *p, __LOCKSTEP_VALUE *v, __LOCKSTEP_SCOPE) { __lockstep_scoped_store(p, *v, o, s); }
template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_VALUE __nv_atomic_exchange_n(T *p, __LOCKSTEP_VALUE v, __LOCKSTEP_SCOPE) {
  return __lockstep_scoped_exchange(p, v, o, s);
}
template <class T> __LOCKSTEP_DEVICE void __nv_atomic_exchange(T *p, __LOCKSTEP_VALUE *v, __LOCKSTEP_VALUE *r, __LOCKSTEP_SCOPE) {
  *r = __lockstep_scoped_exchange(p, *v, o, s);
}
template <class T>
__LOCKSTEP_DEVICE bool __nv_atomic_compare_exchange_n(T *p, __LOCKSTEP_VALUE *e, __LOCKSTEP_VALUE v, bool, int o, int, int s = __NV_THREAD_SCOPE_SYSTEM) {
  return __lockstep_scoped_compare_exchange(p, e, v, o, s);
}
template <class T>
__LOCKSTEP_DEVICE bool __nv_atomic_compare_exchange(T *p, __LOCKSTEP_VALUE *e, __LOCKSTEP_VALUE *v, bool, int o, int, int s = __NV_THREAD_SCOPE_SYSTEM) {
  return __lockstep_scoped_compare_exchange(p, e, *v, o, s);
}
#define __LOCKSTEP_NV(op)                                                                                      \
  template <class T> __LOCKSTEP_DEVICE __LOCKSTEP_VALUE __nv_atomic_fetch_##op(T *p, __LOCKSTEP_VALUE v, __LOCKSTEP_SCOPE) {      \
    return __lockstep_scoped_##op(p, v, o, s);                                                                 \
  }                                                                                                            \
  template <class T> __LOCKSTEP_DEVICE void __nv_atomic_##op(T *p, __LOCKSTEP_VALUE v, __LOCKSTEP_SCOPE) { __lockstep_scoped_##op(p, v, o, s); }
__LOCKSTEP_NV(add)
__LOCKSTEP_NV(sub)
__LOCKSTEP_NV(and)
__LOCKSTEP_NV(or)
__LOCKSTEP_NV(xor)
__LOCKSTEP_NV(min)
__LOCKSTEP_NV(max)
#undef __LOCKSTEP_NV
__LOCKSTEP_DEVICE void __nv_atomic_thread_fence(__LOCKSTEP_SCOPE) { __lockstep_atom_fence(s, o); }

#undef __LOCKSTEP_SCOPE
#undef __LOCKSTEP_AT
#undef __LOCKSTEP_FROM
#undef __LOCKSTEP_TO
#undef __LOCKSTEP_WORD
#undef __LOCKSTEP_VALUE

// Of clang's numbers only that of a single thread is another.
#define __LOCKSTEP_CLANG_SCOPE(s) ((s) == 4 ? 10 : (s))
#define __scoped_atomic_load_n(p, o, s) __lockstep_scoped_load(p, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_load(p, r, o, s) ((void)(*(r) = __lockstep_scoped_load(p, o, __LOCKSTEP_CLANG_SCOPE(s))))
#define __scoped_atomic_store_n(p, v, o, s) __lockstep_scoped_store(p, v, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_store(p, v, o, s) __lockstep_scoped_store(p, *(v), o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_exchange_n(p, v, o, s) __lockstep_scoped_exchange(p, v, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_exchange(p, v, r, o, s) ((void)(*(r) = __lockstep_scoped_exchange(p, *(v), o, __LOCKSTEP_CLANG_SCOPE(s))))
#define __scoped_atomic_compare_exchange_n(p, e, v, w, o, f, s) __lockstep_scoped_compare_exchange(p, e, v, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_compare_exchange(p, e, v, w, o, f, s) __lockstep_scoped_compare_exchange(p, e, *(v), o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_fetch_add(p, v, o, s) __lockstep_scoped_add(p, v, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_fetch_sub(p, v, o, s) __lockstep_scoped_sub(p, v, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_fetch_and(p, v, o, s) __lockstep_scoped_and(p, v, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_fetch_or(p, v, o, s) __lockstep_scoped_or(p, v, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_fetch_xor(p, v, o, s) __lockstep_scoped_xor(p, v, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_fetch_min(p, v, o, s) __lockstep_scoped_min(p, v, o, __LOCKSTEP_CLANG_SCOPE(s))
#define __scoped_atomic_fetch_max(p, v, o, s) __lockstep_scoped_max(p, v, o, __LOCKSTEP_CLANG_SCOPE(s))
