// Loads and stores with cache hints (plain accesses to us), address space queries, and device memcpy and memset.
#pragma once

// The hinted accesses take any type of 1 to 16 bytes here; CUDA lists the scalar and vector types one by one.
#define __LOCKSTEP_LOAD(f)                                                                                     \
  template <class T> __LOCKSTEP_DEVICE T f(const T *p) { return *p; }
__LOCKSTEP_LOAD(__ldg)
__LOCKSTEP_LOAD(__ldcg)
__LOCKSTEP_LOAD(__ldca)
__LOCKSTEP_LOAD(__ldcs)
__LOCKSTEP_LOAD(__ldlu)
#undef __LOCKSTEP_LOAD

template <class T, bool Scalar = __is_scalar(T)> struct __lockstep_volatile {
  static __device__ T load(const T *p) { return *(const volatile T *)p; }
};
// A struct is read member by member: its implicit copy does not accept a volatile source.
template <class T> struct __lockstep_volatile<T, false> {
  static __device__ T load(const T *p) {
    T v;
    if constexpr (sizeof(v.x) * 4 == sizeof(T)) {
      v.x = *(const volatile decltype(v.x) *)&p->x, v.y = *(const volatile decltype(v.x) *)&p->y;
      v.z = *(const volatile decltype(v.x) *)&p->z, v.w = *(const volatile decltype(v.x) *)&p->w;
    } else if constexpr (sizeof(v.x) * 2 == sizeof(T)) {
      v.x = *(const volatile decltype(v.x) *)&p->x, v.y = *(const volatile decltype(v.x) *)&p->y;
    } else {
      v.x = *(const volatile decltype(v.x) *)&p->x;
    }
    return v;
  }
};
template <class T> __LOCKSTEP_DEVICE T __ldcv(const T *p) { return __lockstep_volatile<T>::load(p); }

// Only the pointer says what T is; the value converts.
template <class T> struct __lockstep_identity { using type = T; };
#define __LOCKSTEP_STORE(f)                                                                                    \
  template <class T> __LOCKSTEP_DEVICE void f(T *p, typename __lockstep_identity<T>::type v) { *p = v; }
__LOCKSTEP_STORE(__stcg)
__LOCKSTEP_STORE(__stcs)
__LOCKSTEP_STORE(__stwb)
__LOCKSTEP_STORE(__stwt)
#undef __LOCKSTEP_STORE

__LOCKSTEP_DEVICE unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
__LOCKSTEP_DEVICE unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
__LOCKSTEP_DEVICE unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
__LOCKSTEP_DEVICE unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
__LOCKSTEP_DEVICE size_t __cvta_generic_to_shared(const void *p) { return (size_t)(__attribute__((address_space(3))) const void *)p; }
__LOCKSTEP_DEVICE size_t __cvta_generic_to_global(const void *p) { return (size_t)(__attribute__((address_space(1))) const void *)p; }
__LOCKSTEP_DEVICE void *__cvta_shared_to_generic(size_t p) { return (void *)(__attribute__((address_space(3))) void *)p; }
__LOCKSTEP_DEVICE void *__cvta_global_to_generic(size_t p) { return (void *)(__attribute__((address_space(1))) void *)p; }

__LOCKSTEP_DEVICE void *memcpy(void *to, const void *from, size_t n) { return __builtin_memcpy(to, from, n); }
__LOCKSTEP_DEVICE void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }
__LOCKSTEP_DEVICE void *memset(void *to, int v, size_t n) { return __builtin_memset(to, v, n); }

// Copies that CUDA may overlap with computation: made at some time before the thread has waited for them.
__LOCKSTEP_OPAQUE void __lockstep_async_copy(void *to, const void *from, size_t n);
__LOCKSTEP_OPAQUE void __lockstep_async_commit();
__LOCKSTEP_OPAQUE void __lockstep_async_wait(unsigned left);
__LOCKSTEP_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t n, size_t zfill = 0) {
  __lockstep_async_copy(to, from, n - zfill);
  if (zfill) __builtin_memset((char *)to + (n - zfill), 0, zfill);
}
__LOCKSTEP_DEVICE void __pipeline_commit() { __lockstep_async_commit(); }
__LOCKSTEP_DEVICE void __pipeline_wait_prior(size_t left) { __lockstep_async_wait((unsigned)left); }
