// What every OpenCL kernel sees before its own first line: GPUVerify's annotations in Lockstep's vocabulary.
// A condition that involves a ghost expression of GPUVerify's own is dropped by the lowering; proof hints are nothing.
#pragma once
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
void __attribute__((overloadable)) __lockstep_requires(bool);
void __attribute__((overloadable)) __lockstep_assert(bool);
bool __attribute__((overloadable)) __lockstep_ghost(void);

#ifndef __requires
#define __requires(e) __lockstep_requires(e)
#define __global_requires(e) __lockstep_requires(e)
#define __assume(e) __lockstep_requires(e)
#define __global_assume(e) __lockstep_requires(e)
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
#define __barrier_invariant_binary(...) ((void)0)
#define __array_snapshot(...) ((void)0)
#define __reads_from(...) ((void)0)
#define __reads_from_local(...) ((void)0)
#define __writes_to(...) ((void)0)
#define __writes_to_local(...) ((void)0)
#define __requires_and_ensures(...) ((void)0)
#define __non_temporal_loads_begin() ((void)0)
#define __non_temporal_loads_end() ((void)0)

#define __LOCKSTEP_GHOST ((int)__lockstep_ghost())
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
#define __enabled() __lockstep_ghost()
#define __same_group __lockstep_ghost()
#define __old(e) (__LOCKSTEP_GHOST + (e))
#define __return_val_int __LOCKSTEP_GHOST
#define __implies(a, b) (!(a) | (b))
#define __is_pow2(x) ((((x) & ((x) - 1)) == 0))
#define __mod_pow2(x, y) (((y) - 1) & (x))
#endif
