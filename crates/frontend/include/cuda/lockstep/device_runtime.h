// What device code finds of the C library and of the GPU itself: printf, assert, malloc, traps, clocks, sleep.
#pragma once

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...); // clang turns a call into vprintf
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void *) __attribute__((nothrow));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t charSize);
// glibc's assert() calls this.
__LOCKSTEP_DEVICE void __assert_fail(const char *message, const char *file, unsigned line, const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}
__LOCKSTEP_OPAQUE void __lockstep_nanosleep(unsigned);

__LOCKSTEP_DEVICE void __trap() { __builtin_trap(); }
__LOCKSTEP_DEVICE void __brkpt() { __builtin_debugtrap(); }
__LOCKSTEP_DEVICE void __nanosleep(unsigned ns) { __lockstep_nanosleep(ns); }
__LOCKSTEP_DEVICE long clock() { return (long)__nvvm_read_ptx_sreg_clock(); }
__LOCKSTEP_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__LOCKSTEP_DEVICE unsigned long long __globaltimer() { return __nvvm_read_ptx_sreg_globaltimer(); }
#define __prof_trigger(x) ((void)0)

// `new` takes from the device heap. (The forms that need <new> are in our wrapper of that header.)
__device__ inline __attribute__((always_inline)) void *operator new(size_t n) { return ::malloc(n ? n : 1); }
__device__ inline __attribute__((always_inline)) void *operator new[](size_t n) { return ::malloc(n ? n : 1); }
__device__ inline __attribute__((always_inline)) void operator delete(void *p) noexcept { if (p) ::free(p); }
__device__ inline __attribute__((always_inline)) void operator delete[](void *p) noexcept { if (p) ::free(p); }
__device__ inline __attribute__((always_inline)) void operator delete(void *p, size_t) noexcept { if (p) ::free(p); }
__device__ inline __attribute__((always_inline)) void operator delete[](void *p, size_t) noexcept { if (p) ::free(p); }
