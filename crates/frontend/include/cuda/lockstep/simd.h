// SIMD within a word: two 16-bit or four 8-bit lanes of an unsigned int, lane by lane in plain C. The many names are
// macros over a few templates, because they are rarely used and functions would cost every compilation.
#pragma once

namespace lockstep_simd {
// One lane: its bits in, as type T and widened to int; its bits out.
template <class Op, class T> __LOCKSTEP_DEVICE unsigned lane(unsigned a, unsigned b, int shift) {
  return ((unsigned)Op::of((int)(T)(a >> shift), (int)(T)(b >> shift), (T)-1 < 0, (int)sizeof(T) * 8) & ((1u << sizeof(T) * 8) - 1)) << shift;
}
template <class Op, class T> __LOCKSTEP_DEVICE unsigned apply(unsigned a, unsigned b) {
  if constexpr (sizeof(T) == 2) return lane<Op, T>(a, b, 0) | lane<Op, T>(a, b, 16);
  else return lane<Op, T>(a, b, 0) | lane<Op, T>(a, b, 8) | lane<Op, T>(a, b, 16) | lane<Op, T>(a, b, 24);
}
template <class T> __LOCKSTEP_DEVICE unsigned sum(unsigned v) {
  if constexpr (sizeof(T) == 2) return (v & 0xffffu) + (v >> 16);
  else return (v & 0xffu) + (v >> 8 & 0xffu) + (v >> 16 & 0xffu) + (v >> 24);
}
// `s` says whether the lanes are signed, `n` how many bits they have.
__LOCKSTEP_DEVICE int clamp(int v, bool s, int n) {
  int lo = s ? -(1 << (n - 1)) : 0, hi = s ? (1 << (n - 1)) - 1 : (1 << n) - 1;
  return v < lo ? lo : v > hi ? hi : v;
}
#define __LOCKSTEP_OP(name, expr) struct name { static __device__ __forceinline__ int of(int x, int y, bool s, int n) { (void)s, (void)n; return expr; } };
__LOCKSTEP_OP(add, x + y)
__LOCKSTEP_OP(sub, x - y)
__LOCKSTEP_OP(adds, clamp(x + y, s, n))
__LOCKSTEP_OP(subs, clamp(x - y, s, n))
__LOCKSTEP_OP(absdiff, x < y ? y - x : x - y)
__LOCKSTEP_OP(abss, clamp(x < 0 ? -x : x, s, n))
__LOCKSTEP_OP(avg, (x + y + (x + y >= 0)) >> 1)
__LOCKSTEP_OP(hadd, (x + y) >> 1)
__LOCKSTEP_OP(maximum, x < y ? y : x)
__LOCKSTEP_OP(minimum, y < x ? y : x)
__LOCKSTEP_OP(eq, x == y)
__LOCKSTEP_OP(ne, x != y)
__LOCKSTEP_OP(ge, x >= y)
__LOCKSTEP_OP(gt, x > y)
__LOCKSTEP_OP(le, x <= y)
__LOCKSTEP_OP(lt, x < y)
#undef __LOCKSTEP_OP
// All bits of the lane where the comparison holds.
template <class Op> struct all { static __device__ __forceinline__ int of(int x, int y, bool s, int n) { return -Op::of(x, y, s, n); } };
using s2 = short;
using u2 = unsigned short;
using s4 = signed char;
using u4 = unsigned char;
} // namespace lockstep_simd

#define __LOCKSTEP_SIMD(op, T, a, b) lockstep_simd::apply<lockstep_simd::op, lockstep_simd::T>(a, b)
#define __vadd2(a, b) __LOCKSTEP_SIMD(add, u2, a, b)
#define __vadd4(a, b) __LOCKSTEP_SIMD(add, u4, a, b)
#define __vsub2(a, b) __LOCKSTEP_SIMD(sub, u2, a, b)
#define __vsub4(a, b) __LOCKSTEP_SIMD(sub, u4, a, b)
#define __vaddss2(a, b) __LOCKSTEP_SIMD(adds, s2, a, b)
#define __vaddss4(a, b) __LOCKSTEP_SIMD(adds, s4, a, b)
#define __vaddus2(a, b) __LOCKSTEP_SIMD(adds, u2, a, b)
#define __vaddus4(a, b) __LOCKSTEP_SIMD(adds, u4, a, b)
#define __vsubss2(a, b) __LOCKSTEP_SIMD(subs, s2, a, b)
#define __vsubss4(a, b) __LOCKSTEP_SIMD(subs, s4, a, b)
#define __vsubus2(a, b) __LOCKSTEP_SIMD(subs, u2, a, b)
#define __vsubus4(a, b) __LOCKSTEP_SIMD(subs, u4, a, b)
#define __vabsdiffs2(a, b) __LOCKSTEP_SIMD(absdiff, s2, a, b)
#define __vabsdiffs4(a, b) __LOCKSTEP_SIMD(absdiff, s4, a, b)
#define __vabsdiffu2(a, b) __LOCKSTEP_SIMD(absdiff, u2, a, b)
#define __vabsdiffu4(a, b) __LOCKSTEP_SIMD(absdiff, u4, a, b)
#define __vavgs2(a, b) __LOCKSTEP_SIMD(avg, s2, a, b)
#define __vavgs4(a, b) __LOCKSTEP_SIMD(avg, s4, a, b)
#define __vavgu2(a, b) __LOCKSTEP_SIMD(avg, u2, a, b)
#define __vavgu4(a, b) __LOCKSTEP_SIMD(avg, u4, a, b)
#define __vhaddu2(a, b) __LOCKSTEP_SIMD(hadd, u2, a, b)
#define __vhaddu4(a, b) __LOCKSTEP_SIMD(hadd, u4, a, b)
#define __vmaxs2(a, b) __LOCKSTEP_SIMD(maximum, s2, a, b)
#define __vmaxs4(a, b) __LOCKSTEP_SIMD(maximum, s4, a, b)
#define __vmaxu2(a, b) __LOCKSTEP_SIMD(maximum, u2, a, b)
#define __vmaxu4(a, b) __LOCKSTEP_SIMD(maximum, u4, a, b)
#define __vmins2(a, b) __LOCKSTEP_SIMD(minimum, s2, a, b)
#define __vmins4(a, b) __LOCKSTEP_SIMD(minimum, s4, a, b)
#define __vminu2(a, b) __LOCKSTEP_SIMD(minimum, u2, a, b)
#define __vminu4(a, b) __LOCKSTEP_SIMD(minimum, u4, a, b)
#define __vcmpeq2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::eq>, u2, a, b)
#define __vcmpeq4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::eq>, u4, a, b)
#define __vseteq2(a, b) __LOCKSTEP_SIMD(eq, u2, a, b)
#define __vseteq4(a, b) __LOCKSTEP_SIMD(eq, u4, a, b)
#define __vcmpne2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::ne>, u2, a, b)
#define __vcmpne4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::ne>, u4, a, b)
#define __vsetne2(a, b) __LOCKSTEP_SIMD(ne, u2, a, b)
#define __vsetne4(a, b) __LOCKSTEP_SIMD(ne, u4, a, b)
#define __vcmpges2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::ge>, s2, a, b)
#define __vcmpges4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::ge>, s4, a, b)
#define __vsetges2(a, b) __LOCKSTEP_SIMD(ge, s2, a, b)
#define __vsetges4(a, b) __LOCKSTEP_SIMD(ge, s4, a, b)
#define __vcmpgeu2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::ge>, u2, a, b)
#define __vcmpgeu4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::ge>, u4, a, b)
#define __vsetgeu2(a, b) __LOCKSTEP_SIMD(ge, u2, a, b)
#define __vsetgeu4(a, b) __LOCKSTEP_SIMD(ge, u4, a, b)
#define __vcmpgts2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::gt>, s2, a, b)
#define __vcmpgts4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::gt>, s4, a, b)
#define __vsetgts2(a, b) __LOCKSTEP_SIMD(gt, s2, a, b)
#define __vsetgts4(a, b) __LOCKSTEP_SIMD(gt, s4, a, b)
#define __vcmpgtu2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::gt>, u2, a, b)
#define __vcmpgtu4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::gt>, u4, a, b)
#define __vsetgtu2(a, b) __LOCKSTEP_SIMD(gt, u2, a, b)
#define __vsetgtu4(a, b) __LOCKSTEP_SIMD(gt, u4, a, b)
#define __vcmples2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::le>, s2, a, b)
#define __vcmples4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::le>, s4, a, b)
#define __vsetles2(a, b) __LOCKSTEP_SIMD(le, s2, a, b)
#define __vsetles4(a, b) __LOCKSTEP_SIMD(le, s4, a, b)
#define __vcmpleu2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::le>, u2, a, b)
#define __vcmpleu4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::le>, u4, a, b)
#define __vsetleu2(a, b) __LOCKSTEP_SIMD(le, u2, a, b)
#define __vsetleu4(a, b) __LOCKSTEP_SIMD(le, u4, a, b)
#define __vcmplts2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::lt>, s2, a, b)
#define __vcmplts4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::lt>, s4, a, b)
#define __vsetlts2(a, b) __LOCKSTEP_SIMD(lt, s2, a, b)
#define __vsetlts4(a, b) __LOCKSTEP_SIMD(lt, s4, a, b)
#define __vcmpltu2(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::lt>, u2, a, b)
#define __vcmpltu4(a, b) __LOCKSTEP_SIMD(all<lockstep_simd::lt>, u4, a, b)
#define __vsetltu2(a, b) __LOCKSTEP_SIMD(lt, u2, a, b)
#define __vsetltu4(a, b) __LOCKSTEP_SIMD(lt, u4, a, b)
#define __vneg2(a) __vsub2(0, a)
#define __vnegss2(a) __vsubss2(0, a)
#define __vabs2(a) __vabsdiffs2(a, 0)
#define __vabsss2(a) __LOCKSTEP_SIMD(abss, s2, a, 0)
#define __vsads2(a, b) lockstep_simd::sum<lockstep_simd::s2>(__vabsdiffs2(a, b))
#define __vsadu2(a, b) lockstep_simd::sum<lockstep_simd::u2>(__vabsdiffu2(a, b))
#define __vneg4(a) __vsub4(0, a)
#define __vnegss4(a) __vsubss4(0, a)
#define __vabs4(a) __vabsdiffs4(a, 0)
#define __vabsss4(a) __LOCKSTEP_SIMD(abss, s4, a, 0)
#define __vsads4(a, b) lockstep_simd::sum<lockstep_simd::s4>(__vabsdiffs4(a, b))
#define __vsadu4(a, b) lockstep_simd::sum<lockstep_simd::u4>(__vabsdiffu4(a, b))
