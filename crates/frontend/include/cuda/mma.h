// nvcuda::wmma over mma.sync. Which lane holds which element is not specified; here a fragment is those of mma.sync for its
// blocks of 16 rows (or 8) and 8 columns, one after the other. Shapes of 4-bit integers and single bits are missing.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {
enum layout_t { mem_row_major, mem_col_major };
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
} // namespace precision

namespace details {
// All lanes come here together. That orders no memory: the documentation promises a wait, not a fence.
__device__ __forceinline__ void together() { (void)__any_sync(0xffffffffu, 1); }

template <class T> struct storage { using type = T; };
template <> struct storage<precision::tf32> { using type = float; };
template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };
// Elements in a register of a factor, and halves of eight rows in a block.
template <class T> constexpr int in_register = sizeof(T) >= 4 ? 1 : 4 / sizeof(T);
template <int M> constexpr int halves = M == 8 ? 1 : 2;
template <int M> constexpr int row_blocks = M == 8 ? 1 : M / 16;
struct place { int row, column; };

template <class Use, int M, int N, int K, class S> struct layout;
template <int M, int N, int K, class S> struct layout<matrix_a, M, N, K, S> {
  static constexpr int rows = M, columns = K, n = in_register<S>, h = halves<M>, block = h * K / 4;
  static __device__ __forceinline__ place of(int lane, int e) {
    int r = e % block / n, i = e % n;
    return {lane / 4 + 8 * (r % h) + 16 * (e / block), lane % 4 * n + i + 4 * n * (r / h)};
  }
};
template <int M, int N, int K, class S> struct layout<matrix_b, M, N, K, S> {
  static constexpr int rows = K, columns = N, n = in_register<S>, block = K / 4;
  static __device__ __forceinline__ place of(int lane, int e) {
    int r = e % block / n, i = e % n;
    return {lane % 4 * n + i + 4 * n * r, lane / 4 + 8 * (e / block)};
  }
};
template <int M, int N, int K, class S> struct layout<accumulator, M, N, K, S> {
  static constexpr int rows = M, columns = N, block = 2 * halves<M>;
  static __device__ __forceinline__ place of(int lane, int e) {
    int b = e / block, row = b / (N / 8), column = b % (N / 8);
    return {lane / 4 + 8 * (e % block / 2) + 16 * row, lane % 4 * 2 + e % 2 + 8 * column};
  }
};
} // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
public:
  using element_type = typename details::storage<T>::type;
  using storage_element_type = element_type;
  using lockstep_layout = details::layout<Use, M, N, K, element_type>;
  static constexpr int num_elements = lockstep_layout::rows * lockstep_layout::columns / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

__LOCKSTEP_DEVICE float __float_to_tf32(float v) { return __builtin_bit_cast(float, (__builtin_bit_cast(unsigned, v) + 0x1000u) & ~0x1fffu); }

template <class Use, int M, int N, int K, class T, class L, class V>
__device__ __forceinline__ void fill_fragment(fragment<Use, M, N, K, T, L> &f, const V &v) {
  for (int e = 0; e < f.num_elements; ++e) f.x[e] = (typename fragment<Use, M, N, K, T, L>::element_type)v;
}
namespace details {
template <class F, class P> __device__ __forceinline__ void load(F &f, const P *p, unsigned ld, bool by_rows) {
  int lane = __nvvm_read_ptx_sreg_laneid();
  for (int e = 0; e < f.num_elements; ++e) {
    place at = F::lockstep_layout::of(lane, e);
    f.x[e] = by_rows ? p[at.row * ld + at.column] : p[at.column * ld + at.row];
  }
}
} // namespace details
template <class Use, int M, int N, int K, class T, class L, class P>
__device__ __forceinline__ void load_matrix_sync(fragment<Use, M, N, K, T, L> &f, const P *p, unsigned ld) {
  details::together();
  details::load(f, p, ld, details::same<L, row_major>::value);
}
template <int M, int N, int K, class T, class P>
__device__ __forceinline__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const P *p, unsigned ld, layout_t layout) {
  details::together();
  details::load(f, p, ld, layout == mem_row_major);
}
template <int M, int N, int K, class T, class P>
__device__ __forceinline__ void store_matrix_sync(P *p, const fragment<accumulator, M, N, K, T> &f, unsigned ld, layout_t layout) {
  details::together();
  int lane = __nvvm_read_ptx_sreg_laneid();
  for (int e = 0; e < f.num_elements; ++e) {
    details::place at = fragment<accumulator, M, N, K, T>::lockstep_layout::of(lane, e);
    if (layout == mem_row_major) p[at.row * ld + at.column] = f.x[e];
    else p[at.column * ld + at.row] = f.x[e];
  }
}

namespace details {
template <class S> __device__ __forceinline__ unsigned word(const S *x) {
  unsigned w;
  __builtin_memcpy(&w, x, 4);
  return w;
}
#define __LOCKSTEP_MMA(shape, types, c)                                                                        \
  asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+" c(d[0]), "+" c(d[1]), "+" c(d[2]), "+" c(d[3])                                            \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define __LOCKSTEP_MMA_SHORT(types)                                                                            \
  asm volatile("mma.sync.aligned.m16n8k16.row.col." types " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]))
template <class T> __device__ __forceinline__ void multiply(float (&d)[4], const unsigned *a, const unsigned *b) {
  if constexpr (same<T, __half>::value) __LOCKSTEP_MMA("m16n8k16", "f32.f16.f16.f32", "f");
  else if constexpr (same<T, __nv_bfloat16>::value) __LOCKSTEP_MMA("m16n8k16", "f32.bf16.bf16.f32", "f");
  else __LOCKSTEP_MMA("m16n8k8", "f32.tf32.tf32.f32", "f");
}
template <class T> __device__ __forceinline__ void multiply(int (&d)[4], const unsigned *a, const unsigned *b) {
  if constexpr ((T)-1 < (T)0) __LOCKSTEP_MMA_SHORT("s32.s8.s8.s32");
  else __LOCKSTEP_MMA_SHORT("s32.u8.u8.s32");
}
template <class T> __device__ __forceinline__ void multiply(__half (&x)[4], const unsigned *a, const unsigned *b) {
  unsigned d[2] = {word(x), word(x + 2)};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  __builtin_memcpy(x, d, 8);
}
#undef __LOCKSTEP_MMA
#undef __LOCKSTEP_MMA_SHORT
} // namespace details

template <int M, int N, int K, class T, class LA, class LB, class D, class C>
__device__ __forceinline__ void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a,
                                         const fragment<matrix_b, M, N, K, T, LB> &b,
                                         const fragment<accumulator, M, N, K, C> &c, bool = false) {
  if constexpr (details::same<T, double>::value) {
    double x = c.x[0], y = c.x[1];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(x), "+d"(y) : "d"(a.x[0]), "d"(b.x[0]));
    d.x[0] = x, d.x[1] = y;
  } else {
    using S = typename fragment<matrix_a, M, N, K, T, LA>::element_type;
    constexpr int n = details::in_register<S>, h = details::halves<M>, registers = 2 * K / (4 * n);
    for (int m = 0; m < details::row_blocks<M>; ++m) {
      // With eight rows, the lower half of a block of 16 is zero.
      unsigned x[4] = {};
      for (int r = 0; r < registers; ++r)
        if (h == 2 || r % 2 == 0) x[r] = details::word(a.x + (m * h * registers / 2 + (h == 2 ? r : r / 2)) * n);
      for (int k = 0; k < N / 8; ++k) {
        unsigned y[2] = {};
        for (int r = 0; r < registers / 2; ++r) y[r] = details::word(b.x + (k * registers / 2 + r) * n);
        D sum[4] = {};
        int first = (m * (N / 8) + k) * 2 * h;
        for (int e = 0; e < 2 * h; ++e) sum[e] = (D)c.x[first + e];
        details::multiply<T>(sum, x, y);
        for (int e = 0; e < 2 * h; ++e) d.x[first + e] = sum[e];
      }
    }
  }
}
} // namespace wmma
} // namespace nvcuda
