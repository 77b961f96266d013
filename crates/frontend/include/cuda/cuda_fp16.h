// Half precision: __half and __half2 over clang's _Float16, which NVPTX has as a native type. To nearest even.
#pragma once
#include "lockstep_cuda_prelude.h"

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __attribute__((aligned(2))) __half {
  _Float16 h;
  __half() = default;
  __host__ __device__ __forceinline__ constexpr __half(_Float16 v) : h(v) {}
  __host__ __device__ __forceinline__ constexpr __half(float v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ constexpr __half(double v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ constexpr __half(int v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ constexpr __half(unsigned v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ constexpr __half(short v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ constexpr __half(unsigned short v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ constexpr __half(long v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ constexpr __half(unsigned long v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ constexpr __half(long long v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ constexpr __half(unsigned long long v) : h((_Float16)v) {}
  __host__ __device__ __forceinline__ __half(__half_raw r) : h(__builtin_bit_cast(_Float16, r.x)) {}
  __host__ __device__ __forceinline__ operator float() const { return (float)h; }
  __host__ __device__ __forceinline__ operator __half_raw() const { return {__builtin_bit_cast(unsigned short, h)}; }
  template <class T> __host__ __device__ __forceinline__ explicit operator T() const { return (T)h; }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __forceinline__ constexpr __half2(const __half &a, const __half &b) : x(a), y(b) {}
};
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

// Operators, also against the plain numbers that convert.
__LOCKSTEP_HD __half operator+(const __half &a, const __half &b) { return a.h + b.h; }
__LOCKSTEP_HD __half &operator+=(__half &a, const __half &b) { return a = a.h + b.h; }
__LOCKSTEP_HD __half2 operator+(const __half2 &a, const __half2 &b) { return {a.x + b.x, a.y + b.y}; }
__LOCKSTEP_HD __half2 &operator+=(__half2 &a, const __half2 &b) { return a = a + b; }
__LOCKSTEP_HD __half operator-(const __half &a, const __half &b) { return a.h - b.h; }
__LOCKSTEP_HD __half &operator-=(__half &a, const __half &b) { return a = a.h - b.h; }
__LOCKSTEP_HD __half2 operator-(const __half2 &a, const __half2 &b) { return {a.x - b.x, a.y - b.y}; }
__LOCKSTEP_HD __half2 &operator-=(__half2 &a, const __half2 &b) { return a = a - b; }
__LOCKSTEP_HD __half operator*(const __half &a, const __half &b) { return a.h * b.h; }
__LOCKSTEP_HD __half &operator*=(__half &a, const __half &b) { return a = a.h * b.h; }
__LOCKSTEP_HD __half2 operator*(const __half2 &a, const __half2 &b) { return {a.x * b.x, a.y * b.y}; }
__LOCKSTEP_HD __half2 &operator*=(__half2 &a, const __half2 &b) { return a = a * b; }
__LOCKSTEP_HD __half operator/(const __half &a, const __half &b) { return a.h / b.h; }
__LOCKSTEP_HD __half &operator/=(__half &a, const __half &b) { return a = a.h / b.h; }
__LOCKSTEP_HD __half2 operator/(const __half2 &a, const __half2 &b) { return {a.x / b.x, a.y / b.y}; }
__LOCKSTEP_HD __half2 &operator/=(__half2 &a, const __half2 &b) { return a = a / b; }
__LOCKSTEP_HD bool operator==(const __half &a, const __half &b) { return a.h == b.h; }
__LOCKSTEP_HD bool operator==(const __half2 &a, const __half2 &b) { return a.x == b.x && a.y == b.y; }
__LOCKSTEP_HD bool operator!=(const __half &a, const __half &b) { return a.h != b.h; }
__LOCKSTEP_HD bool operator!=(const __half2 &a, const __half2 &b) { return a.x != b.x && a.y != b.y; }
__LOCKSTEP_HD bool operator<(const __half &a, const __half &b) { return a.h < b.h; }
__LOCKSTEP_HD bool operator<(const __half2 &a, const __half2 &b) { return a.x < b.x && a.y < b.y; }
__LOCKSTEP_HD bool operator<=(const __half &a, const __half &b) { return a.h <= b.h; }
__LOCKSTEP_HD bool operator<=(const __half2 &a, const __half2 &b) { return a.x <= b.x && a.y <= b.y; }
__LOCKSTEP_HD bool operator>(const __half &a, const __half &b) { return a.h > b.h; }
__LOCKSTEP_HD bool operator>(const __half2 &a, const __half2 &b) { return a.x > b.x && a.y > b.y; }
__LOCKSTEP_HD bool operator>=(const __half &a, const __half &b) { return a.h >= b.h; }
__LOCKSTEP_HD bool operator>=(const __half2 &a, const __half2 &b) { return a.x >= b.x && a.y >= b.y; }
__LOCKSTEP_HD __half operator-(const __half &a) { return -a.h; }
__LOCKSTEP_HD __half operator+(const __half &a) { return a; }
__LOCKSTEP_HD __half2 operator-(const __half2 &a) { return {-a.x, -a.y}; }
__LOCKSTEP_HD __half &operator++(__half &a) { return a = a.h + (_Float16)1; }
__LOCKSTEP_HD __half &operator--(__half &a) { return a = a.h - (_Float16)1; }

// Conversions.
__LOCKSTEP_HD __half __float2half(float a) { return a; }
__LOCKSTEP_HD __half __float2half_rn(float a) { return a; }
__LOCKSTEP_HD __half __double2half(double a) { return a; }
__LOCKSTEP_HD float __half2float(__half a) { return (float)a.h; }
__LOCKSTEP_HD __half2 __float2half2_rn(float a) { return {a, a}; }
__LOCKSTEP_HD __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
__LOCKSTEP_HD __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
__LOCKSTEP_HD float2 __half22float2(__half2 a) { return {(float)a.x.h, (float)a.y.h}; }
__LOCKSTEP_HD float __low2float(__half2 a) { return (float)a.x.h; }
__LOCKSTEP_HD float __high2float(__half2 a) { return (float)a.y.h; }
__LOCKSTEP_HD __half __low2half(__half2 a) { return a.x; }
__LOCKSTEP_HD __half __high2half(__half2 a) { return a.y; }
__LOCKSTEP_HD __half2 __half2half2(__half a) { return {a, a}; }
__LOCKSTEP_HD __half2 __halves2half2(__half a, __half b) { return {a, b}; }
__LOCKSTEP_HD __half2 make_half2(__half a, __half b) { return {a, b}; }
__LOCKSTEP_HD __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
__LOCKSTEP_HD __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
__LOCKSTEP_HD __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
__LOCKSTEP_HD __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
__LOCKSTEP_HD __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
__LOCKSTEP_HD unsigned short __half_as_ushort(__half a) { return __builtin_bit_cast(unsigned short, a.h); }
__LOCKSTEP_HD short __half_as_short(__half a) { return __builtin_bit_cast(short, a.h); }
__LOCKSTEP_HD __half __ushort_as_half(unsigned short a) { return __builtin_bit_cast(_Float16, a); }
__LOCKSTEP_HD __half __short_as_half(short a) { return __builtin_bit_cast(_Float16, a); }
__LOCKSTEP_HD __half __int2half_rn(int a) { return (_Float16)a; }
__LOCKSTEP_HD int __half2int_rz(__half a) { return (int)a.h; }
__LOCKSTEP_DEVICE int __half2int_rn(__half a) { return (int)::rintf((float)a.h); }
__LOCKSTEP_DEVICE int __half2int_ru(__half a) { return (int)::ceilf((float)a.h); }
__LOCKSTEP_DEVICE int __half2int_rd(__half a) { return (int)::floorf((float)a.h); }
__LOCKSTEP_HD __half __uint2half_rn(unsigned a) { return (_Float16)a; }
__LOCKSTEP_HD unsigned __half2uint_rz(__half a) { return (unsigned)a.h; }
__LOCKSTEP_DEVICE unsigned __half2uint_rn(__half a) { return (unsigned)::rintf((float)a.h); }
__LOCKSTEP_DEVICE unsigned __half2uint_ru(__half a) { return (unsigned)::ceilf((float)a.h); }
__LOCKSTEP_DEVICE unsigned __half2uint_rd(__half a) { return (unsigned)::floorf((float)a.h); }
__LOCKSTEP_HD __half __short2half_rn(short a) { return (_Float16)a; }
__LOCKSTEP_HD short __half2short_rz(__half a) { return (short)a.h; }
__LOCKSTEP_DEVICE short __half2short_rn(__half a) { return (short)::rintf((float)a.h); }
__LOCKSTEP_DEVICE short __half2short_ru(__half a) { return (short)::ceilf((float)a.h); }
__LOCKSTEP_DEVICE short __half2short_rd(__half a) { return (short)::floorf((float)a.h); }
__LOCKSTEP_HD __half __ushort2half_rn(unsigned short a) { return (_Float16)a; }
__LOCKSTEP_HD unsigned short __half2ushort_rz(__half a) { return (unsigned short)a.h; }
__LOCKSTEP_DEVICE unsigned short __half2ushort_rn(__half a) { return (unsigned short)::rintf((float)a.h); }
__LOCKSTEP_DEVICE unsigned short __half2ushort_ru(__half a) { return (unsigned short)::ceilf((float)a.h); }
__LOCKSTEP_DEVICE unsigned short __half2ushort_rd(__half a) { return (unsigned short)::floorf((float)a.h); }
__LOCKSTEP_HD __half __ll2half_rn(long long a) { return (_Float16)a; }
__LOCKSTEP_HD long long __half2ll_rz(__half a) { return (long long)a.h; }
__LOCKSTEP_DEVICE long long __half2ll_rn(__half a) { return (long long)::rintf((float)a.h); }
__LOCKSTEP_DEVICE long long __half2ll_ru(__half a) { return (long long)::ceilf((float)a.h); }
__LOCKSTEP_DEVICE long long __half2ll_rd(__half a) { return (long long)::floorf((float)a.h); }
__LOCKSTEP_HD __half __ull2half_rn(unsigned long long a) { return (_Float16)a; }
__LOCKSTEP_HD unsigned long long __half2ull_rz(__half a) { return (unsigned long long)a.h; }
__LOCKSTEP_DEVICE unsigned long long __half2ull_rn(__half a) { return (unsigned long long)::rintf((float)a.h); }
__LOCKSTEP_DEVICE unsigned long long __half2ull_ru(__half a) { return (unsigned long long)::ceilf((float)a.h); }
__LOCKSTEP_DEVICE unsigned long long __half2ull_rd(__half a) { return (unsigned long long)::floorf((float)a.h); }

// Arithmetic by name.
__LOCKSTEP_HD __half __hadd(__half a, __half b) { return a.h + b.h; }
__LOCKSTEP_HD __half __hadd_rn(__half a, __half b) { return a.h + b.h; }
__LOCKSTEP_DEVICE __half __hadd_sat(__half a, __half b) { return __saturatef((float)(a.h + b.h)); }
__LOCKSTEP_HD __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
__LOCKSTEP_HD __half2 __hadd2_rn(__half2 a, __half2 b) { return a + b; }
__LOCKSTEP_DEVICE __half2 __hadd2_sat(__half2 a, __half2 b) { return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)}; }
__LOCKSTEP_HD __half __hsub(__half a, __half b) { return a.h - b.h; }
__LOCKSTEP_HD __half __hsub_rn(__half a, __half b) { return a.h - b.h; }
__LOCKSTEP_DEVICE __half __hsub_sat(__half a, __half b) { return __saturatef((float)(a.h - b.h)); }
__LOCKSTEP_HD __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
__LOCKSTEP_HD __half2 __hsub2_rn(__half2 a, __half2 b) { return a - b; }
__LOCKSTEP_DEVICE __half2 __hsub2_sat(__half2 a, __half2 b) { return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)}; }
__LOCKSTEP_HD __half __hmul(__half a, __half b) { return a.h * b.h; }
__LOCKSTEP_HD __half __hmul_rn(__half a, __half b) { return a.h * b.h; }
__LOCKSTEP_DEVICE __half __hmul_sat(__half a, __half b) { return __saturatef((float)(a.h * b.h)); }
__LOCKSTEP_HD __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
__LOCKSTEP_HD __half2 __hmul2_rn(__half2 a, __half2 b) { return a * b; }
__LOCKSTEP_DEVICE __half2 __hmul2_sat(__half2 a, __half2 b) { return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)}; }
__LOCKSTEP_HD __half __hdiv(__half a, __half b) { return a.h / b.h; }
__LOCKSTEP_HD __half2 __h2div(__half2 a, __half2 b) { return a / b; }
__LOCKSTEP_HD __half __hneg(__half a) { return -a.h; }
__LOCKSTEP_HD __half2 __hneg2(__half2 a) { return -a; }
__LOCKSTEP_HD __half __habs(__half a) { return __ushort_as_half(__half_as_ushort(a) & 0x7fff); }
__LOCKSTEP_HD __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
// The product of two halves is exact in float and the sum then rounds in double, where both fit.
__LOCKSTEP_HD __half __hfma(__half a, __half b, __half c) { return (_Float16)((double)((float)a.h * (float)b.h) + (double)c.h); }
__LOCKSTEP_HD __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
__LOCKSTEP_DEVICE __half __hfma_sat(__half a, __half b, __half c) { return __saturatef((float)__hfma(a, b, c).h); }
__LOCKSTEP_DEVICE __half __hfma_relu(__half a, __half b, __half c) { __half r = __hfma(a, b, c); return r.h < 0 ? __half(0.0f) : r; }

// Comparisons: of NaNs all but the u forms are false.
__LOCKSTEP_HD bool __hisnan(__half a) { return a.h != a.h; }
__LOCKSTEP_HD int __hisinf(__half a) { return __half_as_ushort(__habs(a)) == 0x7c00 ? (a.h < 0 ? -1 : 1) : 0; }
__LOCKSTEP_HD bool __heq(__half a, __half b) { return a.h == b.h; }
__LOCKSTEP_HD bool __hequ(__half a, __half b) { return !(a.h < b.h || a.h > b.h); }
__LOCKSTEP_HD __half2 __heq2(__half2 a, __half2 b) { return {__heq(a.x, b.x) ? 1.0f : 0.0f, __heq(a.y, b.y) ? 1.0f : 0.0f}; }
__LOCKSTEP_HD bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__LOCKSTEP_HD unsigned __heq2_mask(__half2 a, __half2 b) { return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u); }
__LOCKSTEP_HD bool __hne(__half a, __half b) { return a.h < b.h || a.h > b.h; }
__LOCKSTEP_HD bool __hneu(__half a, __half b) { return a.h != b.h; }
__LOCKSTEP_HD __half2 __hne2(__half2 a, __half2 b) { return {__hne(a.x, b.x) ? 1.0f : 0.0f, __hne(a.y, b.y) ? 1.0f : 0.0f}; }
__LOCKSTEP_HD bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
__LOCKSTEP_HD unsigned __hne2_mask(__half2 a, __half2 b) { return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u); }
__LOCKSTEP_HD bool __hlt(__half a, __half b) { return a.h < b.h; }
__LOCKSTEP_HD bool __hltu(__half a, __half b) { return !(a.h >= b.h); }
__LOCKSTEP_HD __half2 __hlt2(__half2 a, __half2 b) { return {__hlt(a.x, b.x) ? 1.0f : 0.0f, __hlt(a.y, b.y) ? 1.0f : 0.0f}; }
__LOCKSTEP_HD bool __hblt2(__half2 a, __half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
__LOCKSTEP_HD unsigned __hlt2_mask(__half2 a, __half2 b) { return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u); }
__LOCKSTEP_HD bool __hle(__half a, __half b) { return a.h <= b.h; }
__LOCKSTEP_HD bool __hleu(__half a, __half b) { return !(a.h > b.h); }
__LOCKSTEP_HD __half2 __hle2(__half2 a, __half2 b) { return {__hle(a.x, b.x) ? 1.0f : 0.0f, __hle(a.y, b.y) ? 1.0f : 0.0f}; }
__LOCKSTEP_HD bool __hble2(__half2 a, __half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
__LOCKSTEP_HD unsigned __hle2_mask(__half2 a, __half2 b) { return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u); }
__LOCKSTEP_HD bool __hgt(__half a, __half b) { return a.h > b.h; }
__LOCKSTEP_HD bool __hgtu(__half a, __half b) { return !(a.h <= b.h); }
__LOCKSTEP_HD __half2 __hgt2(__half2 a, __half2 b) { return {__hgt(a.x, b.x) ? 1.0f : 0.0f, __hgt(a.y, b.y) ? 1.0f : 0.0f}; }
__LOCKSTEP_HD bool __hbgt2(__half2 a, __half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
__LOCKSTEP_HD unsigned __hgt2_mask(__half2 a, __half2 b) { return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u); }
__LOCKSTEP_HD bool __hge(__half a, __half b) { return a.h >= b.h; }
__LOCKSTEP_HD bool __hgeu(__half a, __half b) { return !(a.h < b.h); }
__LOCKSTEP_HD __half2 __hge2(__half2 a, __half2 b) { return {__hge(a.x, b.x) ? 1.0f : 0.0f, __hge(a.y, b.y) ? 1.0f : 0.0f}; }
__LOCKSTEP_HD bool __hbge2(__half2 a, __half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
__LOCKSTEP_HD unsigned __hge2_mask(__half2 a, __half2 b) { return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u); }
__LOCKSTEP_HD __half __hmax(__half a, __half b) { return __hisnan(a) ? b : __hisnan(b) ? a : a.h < b.h ? b : a; }
__LOCKSTEP_HD __half __hmin(__half a, __half b) { return __hisnan(a) ? b : __hisnan(b) ? a : b.h < a.h ? b : a; }
__LOCKSTEP_HD __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
__LOCKSTEP_HD __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }

// Functions, through float.
__LOCKSTEP_DEVICE __half hexp(__half a) { return ::expf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2exp(__half2 a) { return {hexp(a.x), hexp(a.y)}; }
__LOCKSTEP_DEVICE __half hexp2(__half a) { return ::exp2f((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2exp2(__half2 a) { return {hexp2(a.x), hexp2(a.y)}; }
__LOCKSTEP_DEVICE __half hexp10(__half a) { return ::exp10f((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2exp10(__half2 a) { return {hexp10(a.x), hexp10(a.y)}; }
__LOCKSTEP_DEVICE __half hlog(__half a) { return ::logf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2log(__half2 a) { return {hlog(a.x), hlog(a.y)}; }
__LOCKSTEP_DEVICE __half hlog2(__half a) { return ::log2f((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2log2(__half2 a) { return {hlog2(a.x), hlog2(a.y)}; }
__LOCKSTEP_DEVICE __half hlog10(__half a) { return ::log10f((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2log10(__half2 a) { return {hlog10(a.x), hlog10(a.y)}; }
__LOCKSTEP_DEVICE __half hsin(__half a) { return ::sinf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2sin(__half2 a) { return {hsin(a.x), hsin(a.y)}; }
__LOCKSTEP_DEVICE __half hcos(__half a) { return ::cosf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2cos(__half2 a) { return {hcos(a.x), hcos(a.y)}; }
__LOCKSTEP_DEVICE __half hsqrt(__half a) { return ::sqrtf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2sqrt(__half2 a) { return {hsqrt(a.x), hsqrt(a.y)}; }
__LOCKSTEP_DEVICE __half hrsqrt(__half a) { return ::rsqrtf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2rsqrt(__half2 a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
__LOCKSTEP_DEVICE __half hceil(__half a) { return ::ceilf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2ceil(__half2 a) { return {hceil(a.x), hceil(a.y)}; }
__LOCKSTEP_DEVICE __half hfloor(__half a) { return ::floorf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2floor(__half2 a) { return {hfloor(a.x), hfloor(a.y)}; }
__LOCKSTEP_DEVICE __half htrunc(__half a) { return ::truncf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2trunc(__half2 a) { return {htrunc(a.x), htrunc(a.y)}; }
__LOCKSTEP_DEVICE __half hrint(__half a) { return ::rintf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2rint(__half2 a) { return {hrint(a.x), hrint(a.y)}; }
__LOCKSTEP_DEVICE __half htanh(__half a) { return ::tanhf((float)a.h); }
__LOCKSTEP_DEVICE __half2 h2tanh(__half2 a) { return {htanh(a.x), htanh(a.y)}; }
__LOCKSTEP_DEVICE __half hrcp(__half a) { return 1.0f / (float)a.h; }
__LOCKSTEP_DEVICE __half2 h2rcp(__half2 a) { return {hrcp(a.x), hrcp(a.y)}; }

// Shuffles, and atomic addition: a __half2 is added half by half.
#define __LOCKSTEP_HALF_SHUFFLE(fn, L)                                                                         \
  __LOCKSTEP_DEVICE __half fn(unsigned mask, __half v, L lane, int width = 32) {                               \
    return __ushort_as_half((unsigned short)fn(mask, (unsigned)__half_as_ushort(v), lane, width));             \
  }                                                                                                            \
  __LOCKSTEP_DEVICE __half2 fn(unsigned mask, __half2 v, L lane, int width = 32) {                             \
    unsigned w = fn(mask, (unsigned)__half_as_ushort(v.x) | (unsigned)__half_as_ushort(v.y) << 16, lane, width); \
    return {__ushort_as_half((unsigned short)w), __ushort_as_half((unsigned short)(w >> 16))};                 \
  }
__LOCKSTEP_HALF_SHUFFLE(__shfl_sync, int)
__LOCKSTEP_HALF_SHUFFLE(__shfl_up_sync, unsigned)
__LOCKSTEP_HALF_SHUFFLE(__shfl_down_sync, unsigned)
__LOCKSTEP_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef __LOCKSTEP_HALF_SHUFFLE
#define __LOCKSTEP_HALF_ATOMIC(S, X)                                                                           \
  __LOCKSTEP_OPAQUE _Float16 __lockstep_atomic_fadd_f16_##S(void *, _Float16);                                 \
  __LOCKSTEP_OPAQUE _Float16 __lockstep_atomic_fadd_f16_##S##_pair(void *, _Float16);                          \
  __LOCKSTEP_DEVICE __half atomicAdd##X(__half *p, __half v) { return __lockstep_atomic_fadd_f16_##S(p, v.h); } \
  __LOCKSTEP_DEVICE __half2 atomicAdd##X(__half2 *p, __half2 v) {                                                   \
    return {__lockstep_atomic_fadd_f16_##S##_pair(p, v.x.h), atomicAdd##X(&p->y, v.y)};                        \
  }
__LOCKSTEP_HALF_ATOMIC(device, )
__LOCKSTEP_HALF_ATOMIC(block, _block)
__LOCKSTEP_HALF_ATOMIC(system, _system)
#undef __LOCKSTEP_HALF_ATOMIC
