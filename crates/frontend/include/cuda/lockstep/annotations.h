// GPUVerify's annotations. Preconditions and assertions become opaque calls; proof hints (invariants, postconditions,
// barrier invariants, candidates) are dropped unread; expressions over GPUVerify's ghost state call
// __lockstep_ghost, so that the lowering can recognise, and ignore, a statement that contains one.
#pragma once

// For sources that define the annotations away where another compiler reads them.
#define __LOCKSTEP__ 1

__LOCKSTEP_OPAQUE void __lockstep_requires(bool);
__LOCKSTEP_OPAQUE void __lockstep_assume(bool);
__LOCKSTEP_OPAQUE void __lockstep_assert(bool);
__LOCKSTEP_OPAQUE bool __lockstep_ghost();
__LOCKSTEP_OPAQUE int __lockstep_ghost_int(); // a number that could be any, so that no comparison with it is folded

__LOCKSTEP_DEVICE void __requires(bool e) { __lockstep_requires(e); }
__LOCKSTEP_DEVICE void __global_requires(bool e) { __lockstep_requires(e); }
__LOCKSTEP_DEVICE void __assume(bool e) { __lockstep_assume(e); }
__LOCKSTEP_DEVICE void __assert(bool e) { __lockstep_assert(e); } // beside glibc's __assert of three arguments
__LOCKSTEP_DEVICE void __global_assert(bool e) { __lockstep_assert(e); }
template <class T> __LOCKSTEP_DEVICE void __requires_fresh_array(const volatile T *) {}

#define __invariant(...) ((void)0)
#define __global_invariant(...) ((void)0)
#define __ensures(...) ((void)0)
#define __global_ensures(...) ((void)0)
#define __candidate_invariant(...) ((void)0)
#define __candidate_global_invariant(...) ((void)0)
#define __candidate_requires(...) ((void)0)
#define __candidate_ensures(...) ((void)0)
#define __candidate_assert(...) ((void)0)
#define __candidate_global_assert(...) ((void)0)
#define __candidate_global_requires(...) ((void)0)
#define __candidate_global_ensures(...) ((void)0)
#define __function_wide_invariant(...) ((void)0)
#define __function_wide_candidate_invariant(...) ((void)0)
#define __barrier_invariant(...) ((void)0)
#define __barrier_invariant_binary(...) ((void)0)
#define __barrier_invariant_1(...) ((void)0)
#define __barrier_invariant_2(...) ((void)0)
#define __barrier_invariant_3(...) ((void)0)
#define __barrier_invariant_4(...) ((void)0)
#define __barrier_invariant_5(...) ((void)0)
#define __barrier_invariant_6(...) ((void)0)
#define __barrier_invariant_7(...) ((void)0)
#define __barrier_invariant_8(...) ((void)0)
#define __barrier_invariant_9(...) ((void)0)
#define __barrier_invariant_10(...) ((void)0)
#define __barrier_invariant_11(...) ((void)0)
#define __barrier_invariant_12(...) ((void)0)
// Stands outside functions: a function of its own, which every kernel of the file calls first.
#define __LOCKSTEP_AXIOM_NAME(n) __lockstep_axiom_##n
#define __LOCKSTEP_AXIOM(n, ...)                                                                               \
  __device__ __attribute__((used)) static void __LOCKSTEP_AXIOM_NAME(n)() { __lockstep_assume(__VA_ARGS__); }   \
  static_assert(true, "")
#define __axiom(...) __LOCKSTEP_AXIOM(__COUNTER__, __VA_ARGS__)

// Plain logic.
__LOCKSTEP_DEVICE bool __implies(bool a, bool b) { return !a || b; }
__LOCKSTEP_DEVICE bool __ite(bool c, bool a, bool b) { return c ? a : b; }
__LOCKSTEP_DEVICE bool __exclusive_or(bool a, bool b) { return a != b; }
__LOCKSTEP_DEVICE bool __is_pow2(unsigned long long x) { return x != 0 && (x & (x - 1)) == 0; }
__LOCKSTEP_DEVICE unsigned long long __mod_pow2(unsigned long long x, unsigned long long y) { return x & (y - 1); }
// Annotated code runs for enabled threads only.
__LOCKSTEP_DEVICE bool __enabled() { return true; }
#define __LOCKSTEP_NO_OVERFLOW(fn, T)                                                                          \
  __LOCKSTEP_DEVICE bool fn(T a, T b) { T r; return !__builtin_add_overflow(a, b, &r); }
__LOCKSTEP_NO_OVERFLOW(__add_noovfl, int)
__LOCKSTEP_NO_OVERFLOW(__add_noovfl, unsigned)
__LOCKSTEP_NO_OVERFLOW(__add_noovfl_signed, int)
__LOCKSTEP_NO_OVERFLOW(__add_noovfl_unsigned, unsigned)
#undef __LOCKSTEP_NO_OVERFLOW

// Ghost state. The value is only a way to hand the call on; nothing may be concluded from it.
#define __LOCKSTEP_GHOST(R, fn)                                                                                \
  template <class... A> __LOCKSTEP_DEVICE R fn(const A &...) { return __lockstep_ghost_as((R *)0); }
__LOCKSTEP_DEVICE bool __lockstep_ghost_as(bool *) { return __lockstep_ghost(); }
template <class R> __LOCKSTEP_DEVICE R __lockstep_ghost_as(R *) { return (R)__lockstep_ghost_int(); }
__LOCKSTEP_GHOST(bool, __read)
__LOCKSTEP_GHOST(bool, __write)
__LOCKSTEP_GHOST(bool, __accessed)
__LOCKSTEP_GHOST(bool, __no_read)
__LOCKSTEP_GHOST(bool, __no_write)
__LOCKSTEP_GHOST(bool, __read_implies)
__LOCKSTEP_GHOST(bool, __write_implies)
__LOCKSTEP_GHOST(size_t, __read_offset_bytes)
__LOCKSTEP_GHOST(size_t, __write_offset_bytes)
__LOCKSTEP_GHOST(size_t, __read_offset)
__LOCKSTEP_GHOST(size_t, __write_offset)
__LOCKSTEP_GHOST(size_t, __ptr_offset_bytes)
__LOCKSTEP_GHOST(size_t, __ptr_base)
__LOCKSTEP_GHOST(int, __other_int)
__LOCKSTEP_GHOST(bool, __other_bool)
__LOCKSTEP_GHOST(size_t, __other_ptr_base)
__LOCKSTEP_GHOST(bool, __uniform_int)
__LOCKSTEP_GHOST(bool, __uniform_bool)
__LOCKSTEP_GHOST(bool, __distinct_int)
__LOCKSTEP_GHOST(bool, __distinct_bool)
__LOCKSTEP_GHOST(bool, __at_most_one)
__LOCKSTEP_GHOST(bool, __exclusive)
__LOCKSTEP_GHOST(int, __return_val_int)
__LOCKSTEP_GHOST(bool, __return_val_bool)
__LOCKSTEP_GHOST(int, __old_int)
__LOCKSTEP_GHOST(bool, __old_bool)
#undef __LOCKSTEP_GHOST
#define __same_group (__lockstep_ghost())
