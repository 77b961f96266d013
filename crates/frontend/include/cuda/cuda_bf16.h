// bfloat16: the upper half of a float, converted in software (to nearest even) and computed in float.
#pragma once
#include "lockstep_cuda_prelude.h"

struct __nv_bfloat16_raw { unsigned short x; };
__LOCKSTEP_HD unsigned short __lockstep_bf16_of(float v) {
  unsigned u = __builtin_bit_cast(unsigned, v);
  return v != v ? (unsigned short)0x7fff : (unsigned short)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}
struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  template <class T, class = typename __lockstep_enable_if<__is_arithmetic(T)>::type>
  __host__ __device__ __forceinline__ __nv_bfloat16(T v) : bits(__lockstep_bf16_of((float)v)) {}
  __host__ __device__ __forceinline__ __nv_bfloat16(__nv_bfloat16_raw r) : bits(r.x) {}
  __host__ __device__ __forceinline__ operator float() const { return __builtin_bit_cast(float, (unsigned)bits << 16); }
  __host__ __device__ __forceinline__ operator __nv_bfloat16_raw() const { return {bits}; }
  template <class T, class = typename __lockstep_enable_if<__is_arithmetic(T)>::type>
  __host__ __device__ __forceinline__ explicit operator T() const { return (T)(float)*this; }
};
struct __nv_bfloat162_raw { unsigned short x, y; };
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __forceinline__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

__LOCKSTEP_HD __nv_bfloat16 operator+(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a + (float)b; }
__LOCKSTEP_HD __nv_bfloat16 &operator+=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = a + b; }
__LOCKSTEP_HD __nv_bfloat162 operator+(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return {a.x + b.x, a.y + b.y}; }
__LOCKSTEP_HD __nv_bfloat162 &operator+=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = a + b; }
__LOCKSTEP_HD __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
__LOCKSTEP_HD __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
__LOCKSTEP_HD __nv_bfloat16 operator-(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a - (float)b; }
__LOCKSTEP_HD __nv_bfloat16 &operator-=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = a - b; }
__LOCKSTEP_HD __nv_bfloat162 operator-(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return {a.x - b.x, a.y - b.y}; }
__LOCKSTEP_HD __nv_bfloat162 &operator-=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = a - b; }
__LOCKSTEP_HD __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
__LOCKSTEP_HD __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return a - b; }
__LOCKSTEP_HD __nv_bfloat16 operator*(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a * (float)b; }
__LOCKSTEP_HD __nv_bfloat16 &operator*=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = a * b; }
__LOCKSTEP_HD __nv_bfloat162 operator*(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return {a.x * b.x, a.y * b.y}; }
__LOCKSTEP_HD __nv_bfloat162 &operator*=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = a * b; }
__LOCKSTEP_HD __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
__LOCKSTEP_HD __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
__LOCKSTEP_HD __nv_bfloat16 operator/(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a / (float)b; }
__LOCKSTEP_HD __nv_bfloat16 &operator/=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { return a = a / b; }
__LOCKSTEP_HD __nv_bfloat162 operator/(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return {a.x / b.x, a.y / b.y}; }
__LOCKSTEP_HD __nv_bfloat162 &operator/=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { return a = a / b; }
__LOCKSTEP_HD __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
__LOCKSTEP_HD __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return a / b; }
__LOCKSTEP_HD bool operator==(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a == (float)b; }
__LOCKSTEP_HD bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return a == b; }
__LOCKSTEP_HD bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a != (float)b; }
__LOCKSTEP_HD bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return a != b; }
__LOCKSTEP_HD bool operator<(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a < (float)b; }
__LOCKSTEP_HD bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b; }
__LOCKSTEP_HD bool operator<=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a <= (float)b; }
__LOCKSTEP_HD bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return a <= b; }
__LOCKSTEP_HD bool operator>(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a > (float)b; }
__LOCKSTEP_HD bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return a > b; }
__LOCKSTEP_HD bool operator>=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return (float)a >= (float)b; }
__LOCKSTEP_HD bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return a >= b; }
__LOCKSTEP_HD __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return -(float)a; }
__LOCKSTEP_HD __nv_bfloat162 operator-(const __nv_bfloat162 &a) { return {-a.x, -a.y}; }
__LOCKSTEP_HD __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
__LOCKSTEP_HD __nv_bfloat16 __habs(__nv_bfloat16 a) { a.bits &= 0x7fff; return a; }
__LOCKSTEP_HD bool __hisnan(__nv_bfloat16 a) { return (float)a != (float)a; }
__LOCKSTEP_HD __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) ? b : __hisnan(b) ? a : a < b ? b : a; }
__LOCKSTEP_HD __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) ? b : __hisnan(b) ? a : b < a ? b : a; }
__LOCKSTEP_HD __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
__LOCKSTEP_HD __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
__LOCKSTEP_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return (float)((double)a * (double)b + (double)c); }
__LOCKSTEP_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
__LOCKSTEP_HD __nv_bfloat16 __float2bfloat16(float a) { return a; }
__LOCKSTEP_HD __nv_bfloat16 __float2bfloat16_rn(float a) { return a; }
__LOCKSTEP_HD __nv_bfloat16 __double2bfloat16(double a) { return (float)a; }
__LOCKSTEP_HD float __bfloat162float(__nv_bfloat16 a) { return a; }
__LOCKSTEP_HD __nv_bfloat162 __float2bfloat162_rn(float a) { return {a, a}; }
__LOCKSTEP_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
__LOCKSTEP_HD __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {a.x, a.y}; }
__LOCKSTEP_HD float2 __bfloat1622float2(__nv_bfloat162 a) { return {(float)a.x, (float)a.y}; }
__LOCKSTEP_HD float __low2float(__nv_bfloat162 a) { return a.x; }
__LOCKSTEP_HD float __high2float(__nv_bfloat162 a) { return a.y; }
__LOCKSTEP_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__LOCKSTEP_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__LOCKSTEP_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
__LOCKSTEP_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
__LOCKSTEP_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
__LOCKSTEP_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits; }
__LOCKSTEP_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16_raw{a}; }
__LOCKSTEP_HD __nv_bfloat16 __int2bfloat16_rn(int a) { return (float)a; }
#define __LOCKSTEP_BF16_TO(name, T)                                                                            \
  __LOCKSTEP_HD T __bfloat162##name##_rz(__nv_bfloat16 a) { return (T)(float)a; }                              \
  __LOCKSTEP_DEVICE T __bfloat162##name##_rn(__nv_bfloat16 a) { return (T)::rintf((float)a); }                 \
  __LOCKSTEP_DEVICE T __bfloat162##name##_ru(__nv_bfloat16 a) { return (T)::ceilf((float)a); }                 \
  __LOCKSTEP_DEVICE T __bfloat162##name##_rd(__nv_bfloat16 a) { return (T)::floorf((float)a); }
__LOCKSTEP_BF16_TO(int, int)
__LOCKSTEP_BF16_TO(uint, unsigned)
__LOCKSTEP_BF16_TO(short, short)
__LOCKSTEP_BF16_TO(ushort, unsigned short)
__LOCKSTEP_BF16_TO(ll, long long)
__LOCKSTEP_BF16_TO(ull, unsigned long long)
#undef __LOCKSTEP_BF16_TO
__LOCKSTEP_DEVICE __nv_bfloat16 hexp(__nv_bfloat16 a) { return ::expf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hexp2(__nv_bfloat16 a) { return ::exp2f((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hlog(__nv_bfloat16 a) { return ::logf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hlog2(__nv_bfloat16 a) { return ::log2f((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hsin(__nv_bfloat16 a) { return ::sinf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hcos(__nv_bfloat16 a) { return ::cosf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return ::sqrtf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return ::rsqrtf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hceil(__nv_bfloat16 a) { return ::ceilf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hfloor(__nv_bfloat16 a) { return ::floorf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 htrunc(__nv_bfloat16 a) { return ::truncf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 hrint(__nv_bfloat16 a) { return ::rintf((float)a); }
__LOCKSTEP_DEVICE __nv_bfloat16 htanh(__nv_bfloat16 a) { return ::tanhf((float)a); }

#define __LOCKSTEP_BF16_SHUFFLE(fn, L)                                                                         \
  __LOCKSTEP_DEVICE __nv_bfloat16 fn(unsigned mask, __nv_bfloat16 v, L lane, int width = 32) {                        \
    return __ushort_as_bfloat16((unsigned short)fn(mask, (unsigned)v.bits, lane, width));                      \
  }
__LOCKSTEP_BF16_SHUFFLE(__shfl_sync, int)
__LOCKSTEP_BF16_SHUFFLE(__shfl_up_sync, unsigned)
__LOCKSTEP_BF16_SHUFFLE(__shfl_down_sync, unsigned)
__LOCKSTEP_BF16_SHUFFLE(__shfl_xor_sync, int)
#undef __LOCKSTEP_BF16_SHUFFLE
__LOCKSTEP_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v) {
  unsigned short old = p->bits, seen;
  while ((seen = atomicCAS(&p->bits, old, (__ushort_as_bfloat16(old) + v).bits)) != old) old = seen;
  return __ushort_as_bfloat16(old);
}
// The first read is as aligned as the pair has to be.
__LOCKSTEP_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v) {
  unsigned short old = p->x.bits, seen;
  while ((seen = atomicCAS(&p->x.bits, old, (__ushort_as_bfloat16(old) + v.x).bits)) != old) old = seen;
  return {__ushort_as_bfloat16(old), atomicAdd(&p->y, v.y)};
}
