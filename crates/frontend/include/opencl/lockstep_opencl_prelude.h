// What every OpenCL kernel sees before its own first line: GPUVerify's annotations in Lockstep's vocabulary.
// A condition that involves a ghost expression of GPUVerify's own is dropped by the lowering; proof hints are nothing.
#pragma once
// For sources that define the annotations away where another compiler reads them.
#define __LOCKSTEP__ 1
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// AMD's counters: global memory that is only changed atomically.
typedef volatile __global unsigned *counter32_t;
void __attribute__((overloadable)) __lockstep_requires(bool);
void __attribute__((overloadable)) __lockstep_assume(bool);
void __attribute__((overloadable)) __lockstep_assert(bool);
bool __attribute__((overloadable)) __lockstep_ghost(void);
int __attribute__((overloadable)) __lockstep_ghost_int(void);

#ifndef __requires
#define __requires(e) __lockstep_requires(e)
#define __global_requires(e) __lockstep_requires(e)
#define __assume(e) __lockstep_assume(e)
#define __global_assume(e) __lockstep_assume(e)
#define __assert(e) __lockstep_assert(e)
#define __global_assert(e) __lockstep_assert(e)
#define __requires_fresh_array(p) ((void)0)
#define __ensures(...) ((void)0)
#define __global_ensures(...) ((void)0)
#define __invariant(...) ((void)0)
#define __global_invariant(...) ((void)0)
#define __candidate_invariant(...) ((void)0)
#define __candidate_global_invariant(...) ((void)0)
#define __function_wide_invariant(...) ((void)0)
#define __function_wide_candidate_invariant(...) ((void)0)
#define __barrier_invariant(...) ((void)0)
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
#define __barrier_invariant_13(...) ((void)0)
#define __barrier_invariant_14(...) ((void)0)
#define __barrier_invariant_15(...) ((void)0)
#define __barrier_invariant_16(...) ((void)0)
#define __barrier_invariant_17(...) ((void)0)
#define __barrier_invariant_18(...) ((void)0)
#define __barrier_invariant_19(...) ((void)0)
#define __barrier_invariant_20(...) ((void)0)
#define __barrier_invariant_binary_1(...) ((void)0)
#define __barrier_invariant_binary_2(...) ((void)0)
#define __barrier_invariant_binary_3(...) ((void)0)
#define __barrier_invariant_binary_4(...) ((void)0)
#define __barrier_invariant_binary(...) ((void)0)
#define __candidate_requires(...) ((void)0)
#define __candidate_ensures(...) ((void)0)
#define __candidate_assert(...) ((void)0)
#define __candidate_global_assert(...) ((void)0)
#define __candidate_global_requires(...) ((void)0)
#define __candidate_global_ensures(...) ((void)0)
#define __read_permission(...) ((void)0)
#define __write_permission(...) ((void)0)
// Stands outside functions: a function of its own, which every kernel of the file calls first.
#define __LOCKSTEP_AXIOM_NAME(n) __lockstep_axiom_##n
#define __LOCKSTEP_AXIOM(n, ...)                                                                               \
  __attribute__((used)) void __LOCKSTEP_AXIOM_NAME(n)(void) { __lockstep_assume(__VA_ARGS__); }
#define __axiom(...) __LOCKSTEP_AXIOM(__COUNTER__, __VA_ARGS__)
#define __array_snapshot(...) ((void)0)
#define __reads_from(...) ((void)0)
#define __reads_from_local(...) ((void)0)
#define __writes_to(...) ((void)0)
#define __writes_to_local(...) ((void)0)
#define __requires_and_ensures(...) ((void)0)
#define __non_temporal_loads_begin() ((void)0)
#define __non_temporal_loads_end() ((void)0)

#define __LOCKSTEP_GHOST __lockstep_ghost_int()
#define __read(...) __lockstep_ghost()
#define __write(...) __lockstep_ghost()
#define __read_implies(...) __lockstep_ghost()
#define __write_implies(...) __lockstep_ghost()
#define __no_read(...) __lockstep_ghost()
#define __no_write(...) __lockstep_ghost()
#define __read_offset(...) __LOCKSTEP_GHOST
#define __write_offset(...) __LOCKSTEP_GHOST
#define __read_offset_bytes(...) __LOCKSTEP_GHOST
#define __write_offset_bytes(...) __LOCKSTEP_GHOST
#define __atomic_offset_bytes(...) __LOCKSTEP_GHOST
#define __atomic_has_taken_value(...) __lockstep_ghost()
#define __ptr_base(...) __LOCKSTEP_GHOST
#define __ptr_offset(...) __LOCKSTEP_GHOST
#define __ptr_offset_bytes(...) __LOCKSTEP_GHOST
#define __points_to(...) __lockstep_ghost()
#define __other_bool(e) (__lockstep_ghost() & (e))
#define __other_int(e) (__LOCKSTEP_GHOST + (e))
#define __other_long(e) (__LOCKSTEP_GHOST + (e))
#define __other_float(e) (__LOCKSTEP_GHOST + (e))
#define __other_double(e) (__LOCKSTEP_GHOST + (e))
#define __distinct_int(...) __LOCKSTEP_GHOST
#define __all_different(...) __lockstep_ghost()
#define __uniform_bool(...) __lockstep_ghost()
#define __uniform_int(...) __lockstep_ghost()
#define __distinct_bool(...) __lockstep_ghost()
#define __at_most_one(...) __lockstep_ghost()
#define __exclusive(...) __lockstep_ghost()
#define __all(...) __lockstep_ghost()
#define __accessed(...) __lockstep_ghost()
#define __other_ptr_base(...) __LOCKSTEP_GHOST
#define __return_val_bool __lockstep_ghost()
#define __old_int(...) __LOCKSTEP_GHOST
#define __old_bool(...) __lockstep_ghost()
// Annotated code runs for enabled threads only.
#define __enabled() true
#define __same_group __lockstep_ghost()
#define __old(e) (__LOCKSTEP_GHOST + (e))
#define __return_val_int __LOCKSTEP_GHOST
#define __implies(a, b) (!(a) | (b))
#define __ite(c, a, b) ((c) ? (a) : (b))
#define __exclusive_or(a, b) ((!(a)) != (!(b)))
// A sum that is meant not to overflow: only such launches are.
#define __LOCKSTEP_NO_OVERFLOW(name, T)                                                                        \
  static inline T __attribute__((overloadable)) name(T a, T b) {                                               \
    T r;                                                                                                       \
    __lockstep_assume(!__builtin_add_overflow(a, b, &r));                                                      \
    return r;                                                                                                  \
  }
__LOCKSTEP_NO_OVERFLOW(__add_noovfl_int, int)
__LOCKSTEP_NO_OVERFLOW(__add_noovfl_unsigned_int, unsigned)
__LOCKSTEP_NO_OVERFLOW(__add_noovfl_char, char)
__LOCKSTEP_NO_OVERFLOW(__add_noovfl_unsigned_char, uchar)
__LOCKSTEP_NO_OVERFLOW(__add_noovfl_short, short)
__LOCKSTEP_NO_OVERFLOW(__add_noovfl_unsigned_short, ushort)
static inline bool __attribute__((overloadable)) __add_noovfl(unsigned a, unsigned b) {
  unsigned r;
  return !__builtin_add_overflow(a, b, &r);
}
static inline bool __attribute__((overloadable)) __add_noovfl(unsigned a, unsigned b, unsigned c) {
  return __add_noovfl(a, b) && __add_noovfl(a + b, c);
}
static inline bool __attribute__((overloadable)) __add_noovfl(unsigned a, unsigned b, unsigned c, unsigned d) {
  return __add_noovfl(a, b, c) && __add_noovfl(a + b + c, d);
}
#undef __LOCKSTEP_NO_OVERFLOW
// Functions of which nothing is known.
#define DECLARE_UF_UNARY(name, a, result) result name(a)
#define DECLARE_UF_BINARY(name, a, b, result) result name(a, b)
#define DECLARE_UF_TERNARY(name, a, b, c, result) result name(a, b, c)
#define __is_pow2(x) ((((x) & ((x) - 1)) == 0))
#define __mod_pow2(x, y) (((y) - 1) & (x))
#endif
