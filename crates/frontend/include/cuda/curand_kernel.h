// cuRAND's device side: other generators than cuRAND's, over state that is read and written as cuRAND's is. The state of
// an MTGP32 generator belongs to a block, of which up to 256 threads may draw from it together. What is not here:
// quasi-random (Sobol) and discrete generators, and the host's library.
#pragma once
#include "lockstep_cuda_prelude.h"

struct curandStateXORWOW { unsigned long long d; };
struct curandStateMtgp32 { unsigned d[256]; };
typedef curandStateXORWOW curandState, curandState_t, curandStateXORWOW_t;
typedef curandStateMtgp32 curandStateMtgp32_t;
struct curandStatePhilox4_32_10 : curandStateXORWOW {};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateMRG32k3a : curandStateXORWOW {};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
__LOCKSTEP_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *s) {
  s->d = seed * 0x9e3779b97f4a7c15ull + sequence * 0xbf58476d1ce4e5b9ull + offset;
}
__LOCKSTEP_DEVICE unsigned curand(curandStateXORWOW *s) {
  s->d = s->d * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(s->d >> 32);
}
__LOCKSTEP_DEVICE unsigned curand(curandStateMtgp32 *s) {
  unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned *own = &s->d[t % 256];
  return *own = *own * 1664525u + 1013904223u;
}
template <class S> __LOCKSTEP_DEVICE float curand_uniform(S *s) { return (curand(s) + 1.0f) * 2.3283064e-10f; }
template <class S> __LOCKSTEP_DEVICE double curand_uniform_double(S *s) { return (curand(s) + 1.0) * 2.3283064365386963e-10; }
template <class S> __LOCKSTEP_DEVICE float curand_normal(S *s) { return ::normcdfinvf(curand_uniform(s) * 0.999999f); }
template <class S> __LOCKSTEP_DEVICE double curand_normal_double(S *s) { return ::normcdfinv(curand_uniform_double(s) * 0.999999); }
template <class S> __LOCKSTEP_DEVICE float curand_log_normal(S *s, float mean, float dev) { return ::expf(mean + dev * curand_normal(s)); }
template <class S> __LOCKSTEP_DEVICE double curand_log_normal_double(S *s, double mean, double dev) { return ::exp(mean + dev * curand_normal_double(s)); }
template <class S> __LOCKSTEP_DEVICE unsigned curand_poisson(S *s, double lambda) {
  double d = lambda + ::sqrt(lambda) * curand_normal_double(s) + 0.5;
  return d > 0 ? (unsigned)d : 0;
}
template <class S> __LOCKSTEP_DEVICE float2 curand_normal2(S *s) { return {curand_normal(s), curand_normal(s)}; }
template <class S> __LOCKSTEP_DEVICE double2 curand_normal2_double(S *s) { return {curand_normal_double(s), curand_normal_double(s)}; }
template <class S> __LOCKSTEP_DEVICE float2 curand_log_normal2(S *s, float mean, float dev) { return {curand_log_normal(s, mean, dev), curand_log_normal(s, mean, dev)}; }
template <class S> __LOCKSTEP_DEVICE double2 curand_log_normal2_double(S *s, double mean, double dev) { return {curand_log_normal_double(s, mean, dev), curand_log_normal_double(s, mean, dev)}; }

// Philox draws four numbers at a time.
__LOCKSTEP_DEVICE uint4 curand4(curandStatePhilox4_32_10_t *s) { return {curand(s), curand(s), curand(s), curand(s)}; }
__LOCKSTEP_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t *s) { return {curand_uniform(s), curand_uniform(s), curand_uniform(s), curand_uniform(s)}; }
__LOCKSTEP_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t *s) { return {curand_normal(s), curand_normal(s), curand_normal(s), curand_normal(s)}; }
__LOCKSTEP_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s) { return {curand_uniform_double(s), curand_uniform_double(s)}; }
__LOCKSTEP_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10_t *s, double lambda) { return {curand_poisson(s, lambda), curand_poisson(s, lambda), curand_poisson(s, lambda), curand_poisson(s, lambda)}; }

__LOCKSTEP_DEVICE void skipahead(unsigned long long n, curandStateXORWOW *s) { s->d += n * 0x9e3779b97f4a7c15ull; }
__LOCKSTEP_DEVICE void skipahead_sequence(unsigned long long n, curandStateXORWOW *s) { s->d += n * 0xbf58476d1ce4e5b9ull; }
__LOCKSTEP_DEVICE void skipahead_subsequence(unsigned long long n, curandStateXORWOW *s) { skipahead_sequence(n, s); }
