// OpenMP's functions: those of the installed library, or, where clang has none, those of a program that is run by one
// thread.
#pragma once
#if __has_include_next(<omp.h>)
#include_next <omp.h>
#else
#include <time.h>
#include <unistd.h>

#define __LOCKSTEP_OMP static inline __attribute__((unused))
#ifdef __cplusplus
extern "C" {
#endif
typedef struct { int held; } omp_lock_t;
typedef struct { int held; } omp_nest_lock_t;
typedef enum { omp_sched_static = 1, omp_sched_dynamic = 2, omp_sched_guided = 3, omp_sched_auto = 4 } omp_sched_t;
__LOCKSTEP_OMP int omp_get_num_threads(void) { return 1; }
__LOCKSTEP_OMP int omp_get_max_threads(void) { return 1; }
__LOCKSTEP_OMP int omp_get_thread_num(void) { return 0; }
__LOCKSTEP_OMP int omp_get_thread_limit(void) { return 1; }
__LOCKSTEP_OMP int omp_get_num_procs(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }
__LOCKSTEP_OMP int omp_get_num_devices(void) { return 0; }
__LOCKSTEP_OMP int omp_get_level(void) { return 0; }
__LOCKSTEP_OMP int omp_in_parallel(void) { return 0; }
__LOCKSTEP_OMP int omp_get_dynamic(void) { return 0; }
__LOCKSTEP_OMP int omp_get_nested(void) { return 0; }
__LOCKSTEP_OMP void omp_set_num_threads(int n) { (void)n; }
__LOCKSTEP_OMP void omp_set_dynamic(int n) { (void)n; }
__LOCKSTEP_OMP void omp_set_nested(int n) { (void)n; }
__LOCKSTEP_OMP void omp_set_schedule(omp_sched_t s, int n) { (void)s, (void)n; }
__LOCKSTEP_OMP double omp_get_wtime(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
__LOCKSTEP_OMP double omp_get_wtick(void) { return 1e-9; }
__LOCKSTEP_OMP void omp_init_lock(omp_lock_t *l) { l->held = 0; }
__LOCKSTEP_OMP void omp_destroy_lock(omp_lock_t *l) { (void)l; }
__LOCKSTEP_OMP void omp_set_lock(omp_lock_t *l) { l->held = 1; }
__LOCKSTEP_OMP void omp_unset_lock(omp_lock_t *l) { l->held = 0; }
__LOCKSTEP_OMP int omp_test_lock(omp_lock_t *l) { return l->held ? 0 : (l->held = 1); }
#ifdef __cplusplus
}
#endif
#undef __LOCKSTEP_OMP
#endif
