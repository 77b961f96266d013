// 8-bit floating point: E4M3 (no infinity) and E5M2, converted in software (to nearest even) and computed in float.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// `m` bits of mantissa, a smallest exponent `low`, the code of the largest number, and that of what is beyond.
__LOCKSTEP_HD __nv_fp8_storage_t __lockstep_fp8_of(float v, bool saturate, int m, int low, unsigned largest, unsigned beyond) {
  unsigned u = __builtin_bit_cast(unsigned, v), sign = u >> 24 & 0x80, size = u & 0x7fffffffu;
  if (size > 0x7f800000u) return (__nv_fp8_storage_t)(sign | 0x7f);
  int exponent = (int)(size >> 23) - 127, e = exponent < low ? low : exponent, shift = 23 - m + (e - exponent);
  unsigned digits = (size & 0x7fffffu) | 0x800000u, q = 0;
  if (shift < 26) {
    unsigned rest = digits & ((1u << shift) - 1), half = 1u << (shift - 1);
    q = digits >> shift;
    q += rest > half || (rest == half && (q & 1));
  }
  unsigned code = exponent > 20 ? 0x80 : q + ((unsigned)(e - low) << m);
  if (code > largest) code = saturate ? largest : beyond;
  return (__nv_fp8_storage_t)(sign | code);
}
__LOCKSTEP_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t s, __nv_fp8_interpretation_t t) {
  return t == __NV_E4M3 ? __lockstep_fp8_of(v, s == __NV_SATFINITE, 3, -6, 0x7e, 0x7f) : __lockstep_fp8_of(v, s == __NV_SATFINITE, 2, -14, 0x7b, 0x7c);
}
__LOCKSTEP_HD float __lockstep_fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t t) {
  if (t == __NV_E5M2) return (float)__builtin_bit_cast(_Float16, (unsigned short)(x << 8));
  unsigned e = x >> 3 & 15, m = x & 7;
  if (e == 15 && m == 7) return __builtin_bit_cast(float, 0x7fffffffu);
  float v = e ? __builtin_bit_cast(float, (e + 120) << 23 | m << 20) : (float)m * 0.001953125f;
  return x & 0x80 ? -v : v;
}
__LOCKSTEP_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t s, __nv_fp8_interpretation_t t) { return __nv_cvt_float_to_fp8((float)v, s, t); }
__LOCKSTEP_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t t) { return __nv_cvt_float_to_fp8((float)__half(v), s, t); }
__LOCKSTEP_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t t) { return __nv_cvt_float_to_fp8((float)__nv_bfloat16(v), s, t); }
__LOCKSTEP_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t t) { return __half(__lockstep_fp8_to_float(x, t)); }
__LOCKSTEP_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t s, __nv_fp8_interpretation_t t) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.x, s, t) | __nv_cvt_float_to_fp8(v.y, s, t) << 8);
}
__LOCKSTEP_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t t) {
  return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, t).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), t).x};
}

#define __LOCKSTEP_FP8(name, kind)                                                                             \
  struct __attribute__((aligned(1))) __nv_fp8_##name {                                                         \
    __nv_fp8_storage_t __x;                                                                                    \
    __nv_fp8_##name() = default;                                                                               \
    __host__ __device__ __forceinline__ explicit __nv_fp8_##name(__half v) : __x(__nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind)) {}        \
    __host__ __device__ __forceinline__ explicit __nv_fp8_##name(__nv_bfloat16 v) : __x(__nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind)) {} \
    template <class T, class = typename __lockstep_enable_if<__is_arithmetic(T)>::type>                        \
    __host__ __device__ __forceinline__ explicit __nv_fp8_##name(T v) : __x(__nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind)) {}             \
    __host__ __device__ __forceinline__ explicit operator __half() const { return __half((float)*this); }      \
    __host__ __device__ __forceinline__ explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); }                           \
    __host__ __device__ __forceinline__ explicit operator float() const { return __lockstep_fp8_to_float(__x, kind); }                            \
    template <class T, class = typename __lockstep_enable_if<__is_arithmetic(T)>::type>                        \
    __host__ __device__ __forceinline__ explicit operator T() const { return (T)__lockstep_fp8_to_float(__x, kind); }                             \
  };                                                                                                           \
  struct __attribute__((aligned(2))) __nv_fp8x2_##name {                                                       \
    __nv_fp8x2_storage_t __x;                                                                                  \
    __nv_fp8x2_##name() = default;                                                                             \
    __host__ __device__ __forceinline__ explicit __nv_fp8x2_##name(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}          \
    __host__ __device__ __forceinline__ explicit __nv_fp8x2_##name(__half2 v) : __nv_fp8x2_##name(float2{(float)v.x, (float)v.y}) {}              \
    __host__ __device__ __forceinline__ explicit operator float2() const {                                     \
      return {__lockstep_fp8_to_float((__nv_fp8_storage_t)__x, kind), __lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind)};              \
    }                                                                                                          \
    __host__ __device__ __forceinline__ explicit operator __half2() const { float2 v = (float2)*this; return {__half(v.x), __half(v.y)}; }        \
  };                                                                                                           \
  struct __attribute__((aligned(4))) __nv_fp8x4_##name {                                                       \
    __nv_fp8x4_storage_t __x;                                                                                  \
    __nv_fp8x4_##name() = default;                                                                             \
    __host__ __device__ __forceinline__ explicit __nv_fp8x4_##name(float4 v)                                   \
        : __x(__nv_fp8x2_##name(float2{v.x, v.y}).__x | (unsigned)__nv_fp8x2_##name(float2{v.z, v.w}).__x << 16) {}                               \
    __host__ __device__ __forceinline__ explicit operator float4() const {                                     \
      return {__lockstep_fp8_to_float((__nv_fp8_storage_t)__x, kind), __lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind),               \
              __lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 16), kind), __lockstep_fp8_to_float((__nv_fp8_storage_t)(__x >> 24), kind)};     \
    }                                                                                                          \
  };
__LOCKSTEP_FP8(e4m3, __NV_E4M3)
__LOCKSTEP_FP8(e5m2, __NV_E5M2)
#undef __LOCKSTEP_FP8
