// Complex numbers as pairs: cuComplex (float) and cuDoubleComplex.
#pragma once
#include "lockstep_cuda_prelude.h"

typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;

// F is the suffix of the float functions, and empty for double.
#define __LOCKSTEP_COMPLEX(C, T, F, make, root)                                                                \
  __LOCKSTEP_HD C make(T re, T im) { return {re, im}; }                                                        \
  __LOCKSTEP_HD T cuCreal##F(C a) { return a.x; }                                                              \
  __LOCKSTEP_HD T cuCimag##F(C a) { return a.y; }                                                              \
  __LOCKSTEP_HD C cuConj##F(C a) { return {a.x, -a.y}; }                                                       \
  __LOCKSTEP_HD C cuCadd##F(C a, C b) { return {a.x + b.x, a.y + b.y}; }                                       \
  __LOCKSTEP_HD C cuCsub##F(C a, C b) { return {a.x - b.x, a.y - b.y}; }                                       \
  __LOCKSTEP_HD C cuCmul##F(C a, C b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }               \
  __LOCKSTEP_HD C cuCfma##F(C a, C b, C c) { return {a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y}; } \
  __LOCKSTEP_HD T cuCabs##F(C a) { return root(a.x, a.y); }                                                    \
  __LOCKSTEP_HD C cuCdiv##F(C a, C b) { /* scaled, so that b's square cannot overflow */                       \
    T s = (b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y), o = (T)1 / s;                                       \
    T ar = a.x * o, ai = a.y * o, br = b.x * o, bi = b.y * o, d = (T)1 / (br * br + bi * bi);                  \
    return {(ar * br + ai * bi) * d, (ai * br - ar * bi) * d};                                                 \
  }
__LOCKSTEP_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex, hypotf)
__LOCKSTEP_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex, hypot)
#undef __LOCKSTEP_COMPLEX
__LOCKSTEP_HD cuComplex make_cuComplex(float re, float im) { return {re, im}; }
__LOCKSTEP_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
__LOCKSTEP_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return {(float)a.x, (float)a.y}; }
