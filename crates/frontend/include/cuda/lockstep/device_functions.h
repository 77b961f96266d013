// CUDA's integer, conversion and rounding intrinsics, as declarations under libdevice's names where it has one.
#pragma once

// Arithmetic in the four rounding directions.
#define __LOCKSTEP_ROUND(R, fn, params)                                                                        \
  __LOCKSTEP_NV(R, __##fn##_rn, params, #fn "_rn") __LOCKSTEP_NV(R, __##fn##_rz, params, #fn "_rz")            \
  __LOCKSTEP_NV(R, __##fn##_ru, params, #fn "_ru") __LOCKSTEP_NV(R, __##fn##_rd, params, #fn "_rd")
__LOCKSTEP_ROUND(float, fadd, (float, float))
__LOCKSTEP_ROUND(float, fsub, (float, float))
__LOCKSTEP_ROUND(float, fmul, (float, float))
__LOCKSTEP_ROUND(float, fdiv, (float, float))
__LOCKSTEP_ROUND(float, frcp, (float))
__LOCKSTEP_ROUND(float, fsqrt, (float))
__LOCKSTEP_ROUND(float, fmaf, (float, float, float))
__LOCKSTEP_NV(float, __fmaf_ieee_rn, (float, float, float), "fmaf_rn")
__LOCKSTEP_NV(float, __frsqrt_rn, (float), "frsqrt_rn")
__LOCKSTEP_ROUND(double, dadd, (double, double))
__LOCKSTEP_ROUND(double, dsub, (double, double))
__LOCKSTEP_ROUND(double, dmul, (double, double))
__LOCKSTEP_ROUND(double, ddiv, (double, double))
__LOCKSTEP_ROUND(double, drcp, (double))
__LOCKSTEP_ROUND(double, dsqrt, (double))
__LOCKSTEP_ROUND(double, fma, (double, double, double))

// Fast forms.
#define __LOCKSTEP_FAST(fn, params) __LOCKSTEP_NV(float, __##fn, params, "fast_" #fn)
__LOCKSTEP_FAST(fdividef, (float, float))
__LOCKSTEP_FAST(expf, (float))
__LOCKSTEP_FAST(exp10f, (float))
__LOCKSTEP_FAST(logf, (float))
__LOCKSTEP_FAST(log2f, (float))
__LOCKSTEP_FAST(log10f, (float))
__LOCKSTEP_FAST(powf, (float, float))
__LOCKSTEP_FAST(sinf, (float))
__LOCKSTEP_FAST(cosf, (float))
__LOCKSTEP_FAST(tanf, (float))
__LOCKSTEP_FAST(tanhf, (float))
__LOCKSTEP_NV(void, __sincosf, (float, float *, float *), "fast_sincosf")
__LOCKSTEP_NV(float, __saturatef, (float), "saturatef")
__LOCKSTEP_NV(float, saturate, (float), "saturatef")

// Conversions with a rounding direction.
__LOCKSTEP_ROUND(int, float2int, (float))
__LOCKSTEP_ROUND(unsigned, float2uint, (float))
__LOCKSTEP_ROUND(long long, float2ll, (float))
__LOCKSTEP_ROUND(unsigned long long, float2ull, (float))
__LOCKSTEP_ROUND(int, double2int, (double))
__LOCKSTEP_ROUND(unsigned, double2uint, (double))
__LOCKSTEP_ROUND(long long, double2ll, (double))
__LOCKSTEP_ROUND(unsigned long long, double2ull, (double))
__LOCKSTEP_ROUND(float, double2float, (double))
__LOCKSTEP_ROUND(float, int2float, (int))
__LOCKSTEP_ROUND(float, uint2float, (unsigned))
__LOCKSTEP_ROUND(float, ll2float, (long long))
__LOCKSTEP_ROUND(float, ull2float, (unsigned long long))
__LOCKSTEP_ROUND(double, ll2double, (long long))
__LOCKSTEP_ROUND(double, ull2double, (unsigned long long))
__LOCKSTEP_NV(double, __int2double_rn, (int), "int2double_rn")
__LOCKSTEP_NV(double, __uint2double_rn, (unsigned), "uint2double_rn")

// The same bits as another type.
#define __LOCKSTEP_SAME(R, fn, params) __LOCKSTEP_NV(R, __##fn, params, #fn)
__LOCKSTEP_SAME(int, float_as_int, (float))
__LOCKSTEP_SAME(unsigned, float_as_uint, (float))
__LOCKSTEP_SAME(float, int_as_float, (int))
__LOCKSTEP_SAME(float, uint_as_float, (unsigned))
__LOCKSTEP_SAME(long long, double_as_longlong, (double))
__LOCKSTEP_SAME(double, longlong_as_double, (long long))
__LOCKSTEP_SAME(int, double2hiint, (double))
__LOCKSTEP_SAME(int, double2loint, (double))
__LOCKSTEP_SAME(double, hiloint2double, (int, int))

// Bits and integer arithmetic.
__LOCKSTEP_SAME(int, popc, (unsigned))
__LOCKSTEP_SAME(int, popcll, (unsigned long long))
__LOCKSTEP_SAME(int, clz, (int))
__LOCKSTEP_SAME(int, clzll, (long long))
__LOCKSTEP_SAME(int, ffs, (int))
__LOCKSTEP_SAME(int, ffsll, (long long))
__LOCKSTEP_SAME(unsigned, brev, (unsigned))
__LOCKSTEP_SAME(unsigned long long, brevll, (unsigned long long))
__LOCKSTEP_SAME(unsigned, byte_perm, (unsigned, unsigned, unsigned))
__LOCKSTEP_SAME(int, mul24, (int, int))
__LOCKSTEP_SAME(unsigned, umul24, (unsigned, unsigned))
__LOCKSTEP_SAME(int, mulhi, (int, int))
__LOCKSTEP_SAME(unsigned, umulhi, (unsigned, unsigned))
__LOCKSTEP_SAME(long long, mul64hi, (long long, long long))
__LOCKSTEP_SAME(unsigned long long, umul64hi, (unsigned long long, unsigned long long))
__LOCKSTEP_SAME(int, hadd, (int, int))
__LOCKSTEP_SAME(int, rhadd, (int, int))
__LOCKSTEP_SAME(unsigned, uhadd, (unsigned, unsigned))
__LOCKSTEP_SAME(unsigned, urhadd, (unsigned, unsigned))
__LOCKSTEP_SAME(unsigned, sad, (int, int, unsigned))
__LOCKSTEP_SAME(unsigned, usad, (unsigned, unsigned, unsigned))
__LOCKSTEP_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) << (n & 31) >> 32);
}
__LOCKSTEP_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n & 31));
}
__LOCKSTEP_DEVICE unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) << (n < 32 ? n : 32) >> 32);
}
__LOCKSTEP_DEVICE unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> (n < 32 ? n : 32));
}

// Dot products of packed bytes (and, for dp2a, of 16-bit halves with the low or the high two bytes).
#define __LOCKSTEP_DP4A(A, R)                                                                                  \
  __LOCKSTEP_DEVICE R __dp4a(R a, R b, R c) {                                                                  \
    return (R)(A)a * (A)b + (R)(A)(a >> 8) * (A)(b >> 8) + (R)(A)(a >> 16) * (A)(b >> 16) + (R)(A)(a >> 24) * (A)(b >> 24) + c; \
  }
#define __LOCKSTEP_DP2A(fn, A, B, R, s)                                                                        \
  __LOCKSTEP_DEVICE R fn(R a, R b, R c) { return (R)(A)a * (B)(b >> s) + (R)(A)(a >> 16) * (B)(b >> (s + 8)) + c; }
__LOCKSTEP_DP4A(signed char, int)
__LOCKSTEP_DP4A(unsigned char, unsigned)
__LOCKSTEP_DP2A(__dp2a_lo, short, signed char, int, 0)
__LOCKSTEP_DP2A(__dp2a_hi, short, signed char, int, 16)
__LOCKSTEP_DP2A(__dp2a_lo, unsigned short, unsigned char, unsigned, 0)
__LOCKSTEP_DP2A(__dp2a_hi, unsigned short, unsigned char, unsigned, 16)
__LOCKSTEP_DEVICE int __dp4a(char4 a, char4 b, int c) { return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c); }
__LOCKSTEP_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c); }

#undef __LOCKSTEP_ROUND
#undef __LOCKSTEP_FAST
#undef __LOCKSTEP_SAME
#undef __LOCKSTEP_DP4A
#undef __LOCKSTEP_DP2A
