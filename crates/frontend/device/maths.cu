// The functions of CUDA's maths library that kernels call by libdevice's names, made of LLVM's operations and of libclc's
// functions for OpenCL. Only those that a kernel calls are linked.

#define DEVICE extern "C" __attribute__((device))
#define INLINE extern "C" __attribute__((device)) __attribute__((always_inline))

// A function of libclc under its mangled name, of float and of double.
#define OF_CLC(name, clc)                                                                                             \
    DEVICE float _Z##clc##f(float);                                                                                   \
    DEVICE double _Z##clc##d(double);                                                                                 \
    INLINE float __nv_##name##f(float x) { return _Z##clc##f(x); }                                                    \
    INLINE double __nv_##name(double x) { return _Z##clc##d(x); }
#define OF_CLC_2(name, clc)                                                                                           \
    DEVICE float _Z##clc##ff(float, float);                                                                           \
    DEVICE double _Z##clc##dd(double, double);                                                                        \
    INLINE float __nv_##name##f(float x, float y) { return _Z##clc##ff(x, y); }                                       \
    INLINE double __nv_##name(double x, double y) { return _Z##clc##dd(x, y); }
OF_CLC(sin, 3sin)
OF_CLC(cos, 3cos)
OF_CLC(tan, 3tan)
OF_CLC(asin, 4asin)
OF_CLC(acos, 4acos)
OF_CLC(atan, 4atan)
OF_CLC(sinh, 4sinh)
OF_CLC(cosh, 4cosh)
OF_CLC(tanh, 4tanh)
OF_CLC(asinh, 5asinh)
OF_CLC(acosh, 5acosh)
OF_CLC(atanh, 5atanh)
OF_CLC(sinpi, 5sinpi)
OF_CLC(cospi, 5cospi)
OF_CLC(exp, 3exp)
OF_CLC(exp2, 4exp2)
OF_CLC(exp10, 5exp10)
OF_CLC(expm1, 5expm1)
OF_CLC(log, 3log)
OF_CLC(log2, 4log2)
OF_CLC(log10, 5log10)
OF_CLC(log1p, 5log1p)
OF_CLC(logb, 4logb)
OF_CLC(cbrt, 4cbrt)
OF_CLC(erf, 3erf)
OF_CLC(erfc, 4erfc)
OF_CLC(tgamma, 6tgamma)
OF_CLC(lgamma, 6lgamma)
OF_CLC(round, 5round)
OF_CLC_2(pow, 3pow)
OF_CLC_2(atan2, 5atan2)
OF_CLC_2(fmod, 4fmod)
OF_CLC_2(hypot, 5hypot)
OF_CLC_2(remainder, 9remainder)
OF_CLC_2(nextafter, 9nextafter)
OF_CLC_2(fdim, 4fdim)

#define OF_LLVM(name)                                                                                                 \
    INLINE float __nv_##name##f(float x) { return __builtin_##name##f(x); }                                           \
    INLINE double __nv_##name(double x) { return __builtin_##name(x); }
#define OF_LLVM_2(name)                                                                                               \
    INLINE float __nv_##name##f(float x, float y) { return __builtin_##name##f(x, y); }                               \
    INLINE double __nv_##name(double x, double y) { return __builtin_##name(x, y); }
OF_LLVM(fabs)
OF_LLVM(floor)
OF_LLVM(ceil)
OF_LLVM(trunc)
OF_LLVM(rint)
OF_LLVM(nearbyint)
OF_LLVM_2(fmax)
OF_LLVM_2(fmin)
OF_LLVM_2(copysign)
INLINE float __nv_sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
INLINE double __nv_sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
INLINE float __nv_rsqrtf(float x) { return 1 / __nvvm_sqrt_rn_f(x); }
INLINE double __nv_rsqrt(double x) { return 1 / __nvvm_sqrt_rn_d(x); }
INLINE float __nv_fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
INLINE double __nv_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }

// The fast forms.
INLINE float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 1.44269504088896f); }
INLINE float __nv_fast_exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.32192809488736f); }
INLINE float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0.69314718055994f; }
INLINE float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
INLINE float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.30102999566398f; }
INLINE float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
INLINE float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
INLINE float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
INLINE float __nv_fast_fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }

#define CHOICE(T, name, sign)                                                                                         \
    INLINE T __nv_##name(T x, T y) { return x sign y ? x : y; }
CHOICE(int, min, <)
CHOICE(int, max, >)
CHOICE(unsigned, umin, <)
CHOICE(unsigned, umax, >)
CHOICE(long long, llmin, <)
CHOICE(long long, llmax, >)
CHOICE(unsigned long long, ullmin, <)
CHOICE(unsigned long long, ullmax, >)
INLINE int __nv_abs(int x) { return x < 0 ? -(unsigned)x : x; }
INLINE long long __nv_llabs(long long x) { return x < 0 ? -(unsigned long long)x : x; }
INLINE int __nv_clz(int x) { return x ? __builtin_clz(x) : 32; }
INLINE int __nv_clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
INLINE int __nv_popc(int x) { return __builtin_popcount(x); }
INLINE int __nv_popcll(long long x) { return __builtin_popcountll(x); }
INLINE int __nv_ffs(int x) { return __builtin_ffs(x); }
INLINE int __nv_ffsll(long long x) { return __builtin_ffsll(x); }
INLINE unsigned __nv_brev(unsigned x) { return __builtin_bitreverse32(x); }
INLINE int __nv_mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
INLINE unsigned __nv_umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
INLINE long long __nv_double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
INLINE double __nv_longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
INLINE int __nv_float_as_int(float x) { return __builtin_bit_cast(int, x); }
INLINE unsigned __nv_float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
INLINE float __nv_int_as_float(int x) { return __builtin_bit_cast(float, x); }
INLINE float __nv_uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
INLINE float __nv_saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0), 1); }

// Calls without a mask, as before Volta: of the threads that run together.
#define SHUFFLE(way)                                                                                                  \
    INLINE int __lockstep_shfl_##way##_i32(int v, int lane, int c) {                                                  \
        return __nvvm_shfl_sync_##way##_i32((int)__nvvm_activemask(), v, lane, c);                                    \
    }
SHUFFLE(idx)
SHUFFLE(up)
SHUFFLE(down)
SHUFFLE(bfly)
INLINE int __lockstep_vote_any(int p) { return __nvvm_vote_any_sync((int)__nvvm_activemask(), p); }
INLINE int __lockstep_vote_all(int p) { return __nvvm_vote_all_sync((int)__nvvm_activemask(), p); }
INLINE unsigned __lockstep_vote_ballot(int p) { return __nvvm_vote_ballot_sync(__nvvm_activemask(), p); }
INLINE void __lockstep_nanosleep(unsigned) {}
