// The C declarations that nvcc's own prelude brings along for host code, without including the C library: even its
// small headers cost more than this whole file. They match glibc's, so the user may include those as well.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTPTR_TYPE__ intptr_t;
// From <sys/types.h>, through <stdlib.h>.
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;

// Macros of <stddef.h>, <limits.h>, <float.h> and <math.h>; those headers replace them when they are included.
#ifndef NULL
#define NULL __null
#endif
#define CHAR_BIT __CHAR_BIT__
#define SCHAR_MAX __SCHAR_MAX__
#define SHRT_MAX __SHRT_MAX__
#define SHRT_MIN (-__SHRT_MAX__ - 1)
#define UCHAR_MAX (__SCHAR_MAX__ * 2 + 1)
#define USHRT_MAX (__SHRT_MAX__ * 2 + 1)
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2U + 1U)
#define LONG_MAX __LONG_MAX__
#define LONG_MIN (-__LONG_MAX__ - 1L)
#define ULONG_MAX (__LONG_MAX__ * 2UL + 1UL)
#define LLONG_MAX __LONG_LONG_MAX__
#define LLONG_MIN (-__LONG_LONG_MAX__ - 1LL)
#define ULLONG_MAX (__LONG_LONG_MAX__ * 2ULL + 1ULL)
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX ((double)__DBL_MAX__)
#define DBL_MIN ((double)__DBL_MIN__)
#define DBL_EPSILON ((double)__DBL_EPSILON__)
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) (static_cast<bool>(e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __extension__ __PRETTY_FUNCTION__))
#endif
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define CLOCKS_PER_SEC ((long)1000000)

extern "C" {
void *malloc(size_t) noexcept(true) __attribute__((malloc));
void *calloc(size_t, size_t) noexcept(true) __attribute__((malloc));
void *realloc(void *, size_t) noexcept(true);
void free(void *) noexcept(true);
void exit(int) noexcept(true) __attribute__((noreturn));
void abort() noexcept(true) __attribute__((noreturn));
int atoi(const char *) noexcept(true);
double atof(const char *) noexcept(true);
long atol(const char *) noexcept(true);
long strtol(const char *__restrict, char **__restrict, int) noexcept(true);
double strtod(const char *__restrict, char **__restrict) noexcept(true);
char *getenv(const char *) noexcept(true);
int printf(const char *__restrict, ...);
void __assert_fail(const char *, const char *, unsigned, const char *) noexcept(true) __attribute__((noreturn));
int rand() noexcept(true);
void srand(unsigned) noexcept(true);
int abs(int) noexcept(true);
long labs(long) noexcept(true);
long long llabs(long long) noexcept(true);
void *memcpy(void *, const void *, size_t) noexcept(true);
void *memmove(void *, const void *, size_t) noexcept(true);
void *memset(void *, int, size_t) noexcept(true);
int memcmp(const void *, const void *, size_t) noexcept(true);
size_t strlen(const char *) noexcept(true);
int strcmp(const char *, const char *) noexcept(true);
int strncmp(const char *, const char *, size_t) noexcept(true);
char *strcpy(char *, const char *) noexcept(true);
typedef long clock_t;
long clock() noexcept(true);
long time(long *) noexcept(true);

#define __LOCKSTEP_HOST1(fn) double fn(double) noexcept(true); float fn##f(float) noexcept(true);
#define __LOCKSTEP_HOST2(fn) double fn(double, double) noexcept(true); float fn##f(float, float) noexcept(true);
__LOCKSTEP_HOST1(acos) __LOCKSTEP_HOST1(asin) __LOCKSTEP_HOST1(atan) __LOCKSTEP_HOST1(cbrt) __LOCKSTEP_HOST1(ceil)
__LOCKSTEP_HOST1(cos) __LOCKSTEP_HOST1(cosh) __LOCKSTEP_HOST1(erf) __LOCKSTEP_HOST1(erfc) __LOCKSTEP_HOST1(exp)
__LOCKSTEP_HOST1(exp2) __LOCKSTEP_HOST1(fabs) __LOCKSTEP_HOST1(floor) __LOCKSTEP_HOST1(log) __LOCKSTEP_HOST1(log10)
__LOCKSTEP_HOST1(log2) __LOCKSTEP_HOST1(rint) __LOCKSTEP_HOST1(round) __LOCKSTEP_HOST1(rsqrt) __LOCKSTEP_HOST1(sin)
__LOCKSTEP_HOST1(sinh) __LOCKSTEP_HOST1(sqrt) __LOCKSTEP_HOST1(tan) __LOCKSTEP_HOST1(tanh) __LOCKSTEP_HOST1(trunc)
__LOCKSTEP_HOST2(atan2) __LOCKSTEP_HOST2(fmax) __LOCKSTEP_HOST2(fmin) __LOCKSTEP_HOST2(fmod) __LOCKSTEP_HOST2(hypot)
__LOCKSTEP_HOST2(pow)
#undef __LOCKSTEP_HOST1
#undef __LOCKSTEP_HOST2
}

// nvcc has <cmath> included; here the commonest of its names.
namespace std {
using ::acos;
using ::asin;
using ::atan;
using ::cbrt;
using ::ceil;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::fabs;
using ::floor;
using ::log;
using ::log10;
using ::log2;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
using ::atan2;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::pow;
} // namespace std
