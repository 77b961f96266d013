// What kernels written for GPUVerify find without including anything: arithmetic on float2, float3 and float4,
// cooperative groups, and a stand-in for cuRAND's device side. Every vector function takes its operands through a
// conversion, so that any function of the user's own, template or not, is a better match.
#pragma once
#include "../cooperative_groups.h"
#include "../curand_kernel.h"
#include "../math_constants.h"

template <class V> struct __lockstep_weak {
  V v;
  __device__ __forceinline__ __lockstep_weak(const V &x) : v(x) {}
};
template <class V> struct __lockstep_weak_ref {
  V &v;
  __device__ __forceinline__ __lockstep_weak_ref(V &x) : v(x) {}
};
#define __LOCKSTEP_W(T) __lockstep_weak<T>
// One operator: element by element, with a scalar on either side, and as an assignment. EACH(e) lists e per member.
#define __LOCKSTEP_VECTOR_OP(T, EACH, op)                                                                      \
  __LOCKSTEP_DEVICE T operator op(__LOCKSTEP_W(T) a, __LOCKSTEP_W(T) b) { return EACH(__LOCKSTEP_VV, op); }    \
  __LOCKSTEP_DEVICE T operator op(__LOCKSTEP_W(T) a, float b) { return EACH(__LOCKSTEP_VS, op); }              \
  __LOCKSTEP_DEVICE T operator op(float a, __LOCKSTEP_W(T) b) { return EACH(__LOCKSTEP_SV, op); }              \
  __LOCKSTEP_DEVICE T &operator op##=(__lockstep_weak_ref<T> a, __LOCKSTEP_W(T) b) { return a.v = EACH(__LOCKSTEP_VV, op); } \
  __LOCKSTEP_DEVICE T &operator op##=(__lockstep_weak_ref<T> a, float b) { return a.v = EACH(__LOCKSTEP_VS, op); }
#define __LOCKSTEP_VV(m, op) a.v.m op b.v.m
#define __LOCKSTEP_VS(m, op) a.v.m op b
#define __LOCKSTEP_SV(m, op) a op b.v.m
#define __LOCKSTEP_NEG(m, op) -a.v.m
#define __LOCKSTEP_CALL2(m, f) f(a.v.m, b.v.m)
#define __LOCKSTEP_CALL1(m, f) f(a.v.m)
#define __LOCKSTEP_EACH2(e, op) T2{e(x, op), e(y, op)}
#define __LOCKSTEP_EACH3(e, op) T3{e(x, op), e(y, op), e(z, op)}
#define __LOCKSTEP_EACH4(e, op) T4{e(x, op), e(y, op), e(z, op), e(w, op)}
#define T2 float2
#define T3 float3
#define T4 float4
#define __LOCKSTEP_VECTOR(T, EACH)                                                                             \
  __LOCKSTEP_VECTOR_OP(T, EACH, +) __LOCKSTEP_VECTOR_OP(T, EACH, -)                                            \
  __LOCKSTEP_VECTOR_OP(T, EACH, *) __LOCKSTEP_VECTOR_OP(T, EACH, /)                                            \
  __LOCKSTEP_DEVICE T operator-(__LOCKSTEP_W(T) a) { return EACH(__LOCKSTEP_NEG, ); }                          \
  __LOCKSTEP_DEVICE T fminf(__LOCKSTEP_W(T) a, __LOCKSTEP_W(T) b) { return EACH(__LOCKSTEP_CALL2, ::fminf); }  \
  __LOCKSTEP_DEVICE T fmaxf(__LOCKSTEP_W(T) a, __LOCKSTEP_W(T) b) { return EACH(__LOCKSTEP_CALL2, ::fmaxf); }  \
  __LOCKSTEP_DEVICE T floorf(__LOCKSTEP_W(T) a) { return EACH(__LOCKSTEP_CALL1, ::floorf); }                   \
  __LOCKSTEP_DEVICE T fabs(__LOCKSTEP_W(T) a) { return EACH(__LOCKSTEP_CALL1, ::fabsf); }                      \
  __LOCKSTEP_DEVICE T lerp(__LOCKSTEP_W(T) a, __LOCKSTEP_W(T) b, float t) { return a + (b - a) * t; }          \
  __LOCKSTEP_DEVICE T clamp(__LOCKSTEP_W(T) a, __LOCKSTEP_W(T) lo, __LOCKSTEP_W(T) hi) { return fmaxf(lo, fminf(a, hi)); } \
  __LOCKSTEP_DEVICE float length(__LOCKSTEP_W(T) a) { return ::sqrtf(dot(a, a)); }                             \
  __LOCKSTEP_DEVICE T normalize(__LOCKSTEP_W(T) a) { return a * ::rsqrtf(dot(a, a)); }
__LOCKSTEP_DEVICE float dot(__LOCKSTEP_W(float2) a, __LOCKSTEP_W(float2) b) { return a.v.x * b.v.x + a.v.y * b.v.y; }
__LOCKSTEP_DEVICE float dot(__LOCKSTEP_W(float3) a, __LOCKSTEP_W(float3) b) { return a.v.x * b.v.x + a.v.y * b.v.y + a.v.z * b.v.z; }
__LOCKSTEP_DEVICE float dot(__LOCKSTEP_W(float4) a, __LOCKSTEP_W(float4) b) { return a.v.x * b.v.x + a.v.y * b.v.y + a.v.z * b.v.z + a.v.w * b.v.w; }
__LOCKSTEP_VECTOR(float2, __LOCKSTEP_EACH2)
__LOCKSTEP_VECTOR(float3, __LOCKSTEP_EACH3)
__LOCKSTEP_VECTOR(float4, __LOCKSTEP_EACH4)
#undef T2
#undef T3
#undef T4
// Integer vectors: the same operators, of which grids and indices use only these.
#define T2 int2
#define T3 int3
#define T4 int4
#define __LOCKSTEP_INT_VECTOR(T, EACH)                                                                         \
  __LOCKSTEP_DEVICE T operator+(__LOCKSTEP_W(T) a, __LOCKSTEP_W(T) b) { return EACH(__LOCKSTEP_VV, +); }       \
  __LOCKSTEP_DEVICE T operator-(__LOCKSTEP_W(T) a, __LOCKSTEP_W(T) b) { return EACH(__LOCKSTEP_VV, -); }       \
  __LOCKSTEP_DEVICE T operator*(__LOCKSTEP_W(T) a, __LOCKSTEP_W(T) b) { return EACH(__LOCKSTEP_VV, *); }       \
  __LOCKSTEP_DEVICE T operator*(__LOCKSTEP_W(T) a, int b) { return EACH(__LOCKSTEP_VS, *); }
__LOCKSTEP_INT_VECTOR(int2, __LOCKSTEP_EACH2)
__LOCKSTEP_INT_VECTOR(int3, __LOCKSTEP_EACH3)
__LOCKSTEP_INT_VECTOR(int4, __LOCKSTEP_EACH4)
#undef T2
#undef T3
#undef T4
#undef __LOCKSTEP_INT_VECTOR
__LOCKSTEP_DEVICE float3 cross(__LOCKSTEP_W(float3) a, __LOCKSTEP_W(float3) b) {
  return float3{a.v.y * b.v.z - a.v.z * b.v.y, a.v.z * b.v.x - a.v.x * b.v.z, a.v.x * b.v.y - a.v.y * b.v.x};
}
__LOCKSTEP_DEVICE float3 clamp(__LOCKSTEP_W(float3) a, float lo, float hi) { return clamp(a, float3{lo, lo, lo}, float3{hi, hi, hi}); }
__LOCKSTEP_DEVICE float4 clamp(__LOCKSTEP_W(float4) a, float lo, float hi) { return clamp(a, float4{lo, lo, lo, lo}, float4{hi, hi, hi, hi}); }
__LOCKSTEP_DEVICE float lerp(__LOCKSTEP_W(float) a, float b, float t) { return a.v + t * (b - a.v); }
__LOCKSTEP_DEVICE float clamp(__LOCKSTEP_W(float) a, float lo, float hi) { return ::fmaxf(lo, ::fminf(a.v, hi)); }
__LOCKSTEP_DEVICE int clamp(__LOCKSTEP_W(int) a, int lo, int hi) { return ::max(lo, ::min(a.v, hi)); }
__LOCKSTEP_DEVICE float2 make_float2(__LOCKSTEP_W(float) s) { return float2{s.v, s.v}; }
__LOCKSTEP_DEVICE float2 make_float2(__LOCKSTEP_W(float3) a) { return float2{a.v.x, a.v.y}; }
__LOCKSTEP_DEVICE float2 make_float2(__LOCKSTEP_W(int2) a) { return float2{(float)a.v.x, (float)a.v.y}; }
__LOCKSTEP_DEVICE float3 make_float3(__LOCKSTEP_W(float) s) { return float3{s.v, s.v, s.v}; }
__LOCKSTEP_DEVICE float3 make_float3(__LOCKSTEP_W(float2) a, float z = 0) { return float3{a.v.x, a.v.y, z}; }
__LOCKSTEP_DEVICE float3 make_float3(__LOCKSTEP_W(float4) a) { return float3{a.v.x, a.v.y, a.v.z}; }
__LOCKSTEP_DEVICE float3 make_float3(__LOCKSTEP_W(int3) a) { return float3{(float)a.v.x, (float)a.v.y, (float)a.v.z}; }
__LOCKSTEP_DEVICE float4 make_float4(__LOCKSTEP_W(float) s) { return float4{s.v, s.v, s.v, s.v}; }
__LOCKSTEP_DEVICE float4 make_float4(__LOCKSTEP_W(float3) a, float w = 0) { return float4{a.v.x, a.v.y, a.v.z, w}; }
__LOCKSTEP_DEVICE float4 make_float4(__LOCKSTEP_W(int4) a) { return float4{(float)a.v.x, (float)a.v.y, (float)a.v.z, (float)a.v.w}; }

#undef __LOCKSTEP_W
#undef __LOCKSTEP_VECTOR_OP
#undef __LOCKSTEP_VECTOR
#undef __LOCKSTEP_VV
#undef __LOCKSTEP_VS
#undef __LOCKSTEP_SV
#undef __LOCKSTEP_NEG
#undef __LOCKSTEP_CALL1
#undef __LOCKSTEP_CALL2
#undef __LOCKSTEP_EACH2
#undef __LOCKSTEP_EACH3
#undef __LOCKSTEP_EACH4
