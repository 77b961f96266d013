// The C maths library on the device. Each function is a declaration under libdevice's name for it, with no body to
// parse or inline; C++'s overloads for float and integer arguments, classification, min and max are added here.
// It stands before any system header: a constexpr function of libstdc++ becomes __host__ __device__, and then
// conflicts, unless a __device__ overload is known already.
#pragma once

#define __LOCKSTEP_NV(R, fn, params, nv) __device__ R fn params __asm__("__nv_" nv);
template <bool, class T = void> struct __lockstep_enable_if {};
template <class T> struct __lockstep_enable_if<true, T> { using type = T; };

// fn(integer) is fn(double): without it, a call would be ambiguous between float and double.
#define __LOCKSTEP_INT1(R, fn)                                                                                 \
  template <class T> __LOCKSTEP_DEVICE typename __lockstep_enable_if<__is_integral(T), R>::type fn(T x) {      \
    return ::fn((double)x);                                                                                    \
  }
#define __LOCKSTEP_FUNCTION1(fn)                                                                               \
  __LOCKSTEP_NV(double, fn, (double), #fn)                                                                     \
  __LOCKSTEP_NV(float, fn, (float), #fn "f")                                                                   \
  __LOCKSTEP_NV(float, fn##f, (float), #fn "f")                                                                \
  __LOCKSTEP_INT1(double, fn)
// Two arguments of different types, or both integers, are taken as double.
#define __LOCKSTEP_FUNCTION2(fn)                                                                               \
  __LOCKSTEP_NV(double, fn, (double, double), #fn)                                                             \
  __LOCKSTEP_NV(float, fn, (float, float), #fn "f")                                                            \
  __LOCKSTEP_NV(float, fn##f, (float, float), #fn "f")                                                         \
  template <class T, class U>                                                                                  \
  __LOCKSTEP_DEVICE typename __lockstep_enable_if<__is_arithmetic(T) && __is_arithmetic(U), double>::type fn(T x, U y) { \
    return ::fn((double)x, (double)y);                                                                         \
  }
// A function of both precisions without mixed calls: D and F are its parameters.
#define __LOCKSTEP_PAIR(RD, RF, fn, D, F)                                                                      \
  __LOCKSTEP_NV(RD, fn, D, #fn) __LOCKSTEP_NV(RF, fn, F, #fn "f") __LOCKSTEP_NV(RF, fn##f, F, #fn "f")
#define __LOCKSTEP_TO_INT(R, fn, nv, nvf)                                                                      \
  __LOCKSTEP_NV(R, fn, (double), nv) __LOCKSTEP_NV(R, fn, (float), nvf) __LOCKSTEP_NV(R, fn##f, (float), nvf)  \
  __LOCKSTEP_INT1(R, fn)

__LOCKSTEP_FUNCTION1(acos) __LOCKSTEP_FUNCTION1(acosh) __LOCKSTEP_FUNCTION1(asin) __LOCKSTEP_FUNCTION1(asinh)
__LOCKSTEP_FUNCTION1(atan) __LOCKSTEP_FUNCTION1(atanh) __LOCKSTEP_FUNCTION1(cbrt) __LOCKSTEP_FUNCTION1(ceil)
__LOCKSTEP_FUNCTION1(cos) __LOCKSTEP_FUNCTION1(cosh) __LOCKSTEP_FUNCTION1(cospi) __LOCKSTEP_FUNCTION1(erf)
__LOCKSTEP_FUNCTION1(erfc) __LOCKSTEP_FUNCTION1(erfcinv) __LOCKSTEP_FUNCTION1(erfcx) __LOCKSTEP_FUNCTION1(erfinv)
__LOCKSTEP_FUNCTION1(exp) __LOCKSTEP_FUNCTION1(exp10) __LOCKSTEP_FUNCTION1(exp2) __LOCKSTEP_FUNCTION1(expm1)
__LOCKSTEP_FUNCTION1(fabs) __LOCKSTEP_FUNCTION1(floor) __LOCKSTEP_FUNCTION1(lgamma) __LOCKSTEP_FUNCTION1(log)
__LOCKSTEP_FUNCTION1(log10) __LOCKSTEP_FUNCTION1(log1p) __LOCKSTEP_FUNCTION1(log2) __LOCKSTEP_FUNCTION1(logb)
__LOCKSTEP_FUNCTION1(nearbyint) __LOCKSTEP_FUNCTION1(normcdf) __LOCKSTEP_FUNCTION1(normcdfinv)
__LOCKSTEP_FUNCTION1(rcbrt) __LOCKSTEP_FUNCTION1(rint) __LOCKSTEP_FUNCTION1(round) __LOCKSTEP_FUNCTION1(rsqrt)
__LOCKSTEP_FUNCTION1(sin) __LOCKSTEP_FUNCTION1(sinh) __LOCKSTEP_FUNCTION1(sinpi) __LOCKSTEP_FUNCTION1(sqrt)
__LOCKSTEP_FUNCTION1(tan) __LOCKSTEP_FUNCTION1(tanh) __LOCKSTEP_FUNCTION1(tgamma) __LOCKSTEP_FUNCTION1(trunc)
__LOCKSTEP_FUNCTION1(j0) __LOCKSTEP_FUNCTION1(j1) __LOCKSTEP_FUNCTION1(y0) __LOCKSTEP_FUNCTION1(y1)
__LOCKSTEP_FUNCTION1(cyl_bessel_i0) __LOCKSTEP_FUNCTION1(cyl_bessel_i1)
__LOCKSTEP_FUNCTION2(atan2) __LOCKSTEP_FUNCTION2(copysign) __LOCKSTEP_FUNCTION2(fdim) __LOCKSTEP_FUNCTION2(fmax)
__LOCKSTEP_FUNCTION2(fmin) __LOCKSTEP_FUNCTION2(fmod) __LOCKSTEP_FUNCTION2(hypot) __LOCKSTEP_FUNCTION2(rhypot)
__LOCKSTEP_FUNCTION2(nextafter) __LOCKSTEP_FUNCTION2(pow) __LOCKSTEP_FUNCTION2(remainder)
__LOCKSTEP_TO_INT(int, ilogb, "ilogb", "ilogbf")
__LOCKSTEP_TO_INT(long, lrint, "llrint", "llrintf")
__LOCKSTEP_TO_INT(long, lround, "llround", "llroundf")
__LOCKSTEP_TO_INT(long long, llrint, "llrint", "llrintf")
__LOCKSTEP_TO_INT(long long, llround, "llround", "llroundf")
__LOCKSTEP_PAIR(double, float, fma, (double, double, double), (float, float, float))
__LOCKSTEP_PAIR(double, float, frexp, (double, int *), (float, int *))
__LOCKSTEP_PAIR(double, float, ldexp, (double, int), (float, int))
__LOCKSTEP_PAIR(double, float, modf, (double, double *), (float, float *))
__LOCKSTEP_PAIR(double, float, remquo, (double, double, int *), (float, float, int *))
__LOCKSTEP_PAIR(double, float, scalbn, (double, int), (float, int))
__LOCKSTEP_PAIR(void, void, sincos, (double, double *, double *), (float, float *, float *))
__LOCKSTEP_PAIR(void, void, sincospi, (double, double *, double *), (float, float *, float *))
__LOCKSTEP_PAIR(double, float, jn, (int, double), (int, float))
__LOCKSTEP_PAIR(double, float, yn, (int, double), (int, float))
__LOCKSTEP_PAIR(double, float, norm, (int, const double *), (int, const float *))
__LOCKSTEP_PAIR(double, float, rnorm, (int, const double *), (int, const float *))
__LOCKSTEP_PAIR(double, float, norm3d, (double, double, double), (float, float, float))
__LOCKSTEP_PAIR(double, float, norm4d, (double, double, double, double), (float, float, float, float))
__LOCKSTEP_PAIR(double, float, rnorm3d, (double, double, double), (float, float, float))
__LOCKSTEP_PAIR(double, float, rnorm4d, (double, double, double, double), (float, float, float, float))
__LOCKSTEP_NV(double, pow, (double, int), "powi")
__LOCKSTEP_NV(float, pow, (float, int), "powif")
__LOCKSTEP_NV(double, powi, (double, int), "powi")
__LOCKSTEP_NV(float, powif, (float, int), "powif")
__LOCKSTEP_NV(int, abs, (int), "abs")
__LOCKSTEP_NV(long, abs, (long), "llabs")
__LOCKSTEP_NV(long long, abs, (long long), "llabs")
__LOCKSTEP_NV(double, abs, (double), "fabs")
__LOCKSTEP_NV(float, abs, (float), "fabsf")
__LOCKSTEP_NV(long, labs, (long), "llabs")
__LOCKSTEP_NV(long long, llabs, (long long), "llabs")
template <class T, class U, class V>
__LOCKSTEP_DEVICE typename __lockstep_enable_if<__is_arithmetic(T) && __is_arithmetic(U) && __is_arithmetic(V), double>::type
fma(T x, U y, V z) {
  return ::fma((double)x, (double)y, (double)z);
}
__LOCKSTEP_DEVICE double fdivide(double x, double y) { return x / y; }
__LOCKSTEP_DEVICE float fdivide(float x, float y) { return x / y; }
__LOCKSTEP_DEVICE float fdividef(float x, float y) { return x / y; }
__LOCKSTEP_DEVICE double scalbln(double x, long e) { return ldexp(x, (int)(e < -9999 ? -9999 : e > 9999 ? 9999 : e)); }
__LOCKSTEP_DEVICE float scalbln(float x, long e) { return ldexpf(x, (int)(e < -9999 ? -9999 : e > 9999 ? 9999 : e)); }
__LOCKSTEP_DEVICE double nan(const char *) { return __builtin_nan(""); }
__LOCKSTEP_DEVICE float nanf(const char *) { return __builtin_nanf(""); }

// Classification by comparisons, which every part of Lockstep understands already.
#define __LOCKSTEP_CLASSIFY(T, fabs_, inf, least, bits)                                                        \
  __LOCKSTEP_DEVICE bool isnan(T x) { return x != x; }                                                         \
  __LOCKSTEP_DEVICE bool isinf(T x) { return fabs_(x) == inf; }                                                \
  __LOCKSTEP_DEVICE bool isfinite(T x) { return fabs_(x) < inf; }                                              \
  __LOCKSTEP_DEVICE bool isnormal(T x) { return fabs_(x) < inf && fabs_(x) >= least; }                         \
  __LOCKSTEP_DEVICE bool signbit(T x) { return __builtin_bit_cast(bits, x) < 0; }                              \
  __LOCKSTEP_DEVICE int fpclassify(T x) {                                                                      \
    return isnan(x) ? 0 : isinf(x) ? 1 : x == 0 ? 2 : isnormal(x) ? 4 : 3; /* glibc's FP_* numbers */          \
  }
__LOCKSTEP_CLASSIFY(float, __builtin_fabsf, __builtin_inff(), __FLT_MIN__, int)
__LOCKSTEP_CLASSIFY(double, __builtin_fabs, __builtin_inf(), __DBL_MIN__, long)
__LOCKSTEP_INT1(bool, isnan)
__LOCKSTEP_INT1(bool, isinf)
__LOCKSTEP_INT1(bool, isfinite)
__LOCKSTEP_NV(int, __isnanf, (float), "isnanf")
__LOCKSTEP_NV(int, __isnan, (double), "isnand")
__LOCKSTEP_NV(int, __isinff, (float), "isinff")
__LOCKSTEP_NV(int, __isinf, (double), "isinfd")
__LOCKSTEP_NV(int, __finitef, (float), "finitef")
__LOCKSTEP_NV(int, __finite, (double), "isfinited")
__LOCKSTEP_NV(int, __signbitf, (float), "signbitf")
__LOCKSTEP_NV(int, __signbitd, (double), "signbitd")
// The host's: templates, beside which <cmath> may name its own functions.
#define __LOCKSTEP_HOST_CLASSIFY(R, f, call)                                                                   \
  template <class T, class = typename __lockstep_enable_if<__is_floating_point(T)>::type>                      \
  __host__ inline R f(T x) { return call; }
__LOCKSTEP_HOST_CLASSIFY(bool, isnan, __builtin_isnan(x))
__LOCKSTEP_HOST_CLASSIFY(bool, isinf, __builtin_isinf(x))
__LOCKSTEP_HOST_CLASSIFY(bool, isfinite, __builtin_isfinite(x))
__LOCKSTEP_HOST_CLASSIFY(bool, isnormal, __builtin_isnormal(x))
__LOCKSTEP_HOST_CLASSIFY(bool, signbit, __builtin_signbit(x))
__LOCKSTEP_HOST_CLASSIFY(int, fpclassify, __builtin_fpclassify(0, 1, 4, 3, 2, x))
// libstdc++ defines these as constexpr without naming the global ones first.
namespace std {
using ::abs;
using ::fpclassify;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::signbit;
} // namespace std

// min and max exist on both sides in CUDA, also for a signed and an unsigned argument of one width. They are two
// declarations, so that a kernel file may define a __device__ one of its own.
#define __LOCKSTEP_MINMAX(R, T, U, p, s)                                                                       \
  __device__ R max(T, U) __asm__("__nv_" p "max" s);                                                           \
  __device__ R min(T, U) __asm__("__nv_" p "min" s);                                                           \
  __host__ R max(T, U);                                                                                        \
  __host__ R min(T, U);
#define __LOCKSTEP_MINMAX_SIGNS(T, p)                                                                          \
  __LOCKSTEP_MINMAX(T, T, T, p, "")                                                                            \
  __LOCKSTEP_MINMAX(unsigned T, unsigned T, unsigned T, "u" p, "")                                             \
  __LOCKSTEP_MINMAX(unsigned T, T, unsigned T, "u" p, "")                                                      \
  __LOCKSTEP_MINMAX(unsigned T, unsigned T, T, "u" p, "")
__LOCKSTEP_MINMAX_SIGNS(int, "")
__LOCKSTEP_MINMAX_SIGNS(long, "ll")
__LOCKSTEP_MINMAX_SIGNS(long long, "ll")
__LOCKSTEP_MINMAX(float, float, float, "f", "f")
__LOCKSTEP_MINMAX(double, double, double, "f", "")
__LOCKSTEP_HD double max(float a, double b) { return max((double)a, b); }
__LOCKSTEP_HD double max(double a, float b) { return max(a, (double)b); }
__LOCKSTEP_HD double min(float a, double b) { return min((double)a, b); }
__LOCKSTEP_HD double min(double a, float b) { return min(a, (double)b); }
__LOCKSTEP_NV(unsigned, umax, (unsigned, unsigned), "umax")
__LOCKSTEP_NV(unsigned, umin, (unsigned, unsigned), "umin")
__LOCKSTEP_NV(long long, llmax, (long long, long long), "llmax")
__LOCKSTEP_NV(long long, llmin, (long long, long long), "llmin")
__LOCKSTEP_NV(unsigned long long, ullmax, (unsigned long long, unsigned long long), "ullmax")
__LOCKSTEP_NV(unsigned long long, ullmin, (unsigned long long, unsigned long long), "ullmin")

#undef __LOCKSTEP_INT1
#undef __LOCKSTEP_FUNCTION1
#undef __LOCKSTEP_FUNCTION2
#undef __LOCKSTEP_PAIR
#undef __LOCKSTEP_TO_INT
#undef __LOCKSTEP_CLASSIFY
#undef __LOCKSTEP_HOST_CLASSIFY
#undef __LOCKSTEP_MINMAX
#undef __LOCKSTEP_MINMAX_SIGNS
