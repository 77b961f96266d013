// Integers of all widths: what wraps, what has a sign, what a shift or a division rounds.
//
// launch: --block 4 --grid 1
// reference[add_sat]: integers.c:add_sat
// launch[add_sat]: --arg n=4 --arg a=u8[4]:symbolic --arg b=u8[4]:symbolic --arg out=u8[4]
// expect[add_sat]: equivalent
// reference[add_sat_w]: integers.c:add_sat
// launch[add_sat_w]: --arg n=4 --arg a=u8[4]:symbolic --arg b=u8[4]:symbolic --arg out=u8[4]
// expect[add_sat_w]: mismatch
// reference[add_sat_c]: integers.c:add_sat
// launch[add_sat_c]: --arg n=4 --arg a=u8[4]:symbolic --arg b=u8[4]:symbolic --arg out=u8[4]
// expect[add_sat_c]: equivalent
// reference[average]: integers.c:average
// launch[average]: --arg n=4 --arg a=u32[4]:symbolic --arg b=u32[4]:symbolic --arg out=u32[4]
// expect[average]: equivalent
// reference[average_w]: integers.c:average
// launch[average_w]: --arg n=4 --arg a=u32[4]:symbolic --arg b=u32[4]:symbolic --arg out=u32[4]
// expect[average_w]: mismatch
// reference[average_v]: integers.c:average
// launch[average_v]: --arg n=4 --arg a=u32[4]:symbolic --arg b=u32[4]:symbolic --arg out=u32[4]
// expect[average_v]: mismatch
// reference[leading]: integers.c:leading
// launch[leading]: --arg n=4 --arg a=u32[4]:symbolic --arg out=i32[4]
// expect[leading]: equivalent
// reference[leading_w]: integers.c:leading
// launch[leading_w]: --arg n=4 --arg a=u32[4]:symbolic --arg out=i32[4]
// expect[leading_w]: mismatch
// reference[quarter_w]: integers.c:quarter
// launch[quarter_w]: --arg n=4 --arg a=i32[4]:symbolic --arg out=i32[4]
// expect[quarter_w]: mismatch
// reference[quarter]: integers.c:quarter
// launch[quarter]: --arg n=4 --arg a=i32[4]:symbolic --arg out=i32[4]
// expect[quarter]: equivalent
// reference[mod8_w]: integers.c:mod8
// launch[mod8_w]: --arg n=4 --arg a=i32[4]:symbolic --arg out=i32[4]
// expect[mod8_w]: mismatch
// reference[mod8]: integers.c:mod8
// launch[mod8]: --arg n=4 --arg a=i32[4]:symbolic --arg out=i32[4]
// expect[mod8]: equivalent
// reference[high]: integers.c:high
// launch[high]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4]
// expect[high]: equivalent
// reference[high_w]: integers.c:high
// launch[high_w]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4]
// expect[high_w]: mismatch
// reference[blend_w]: integers.c:blend
// launch[blend_w]: --arg n=4 --arg a=u8[4]:symbolic --arg b=u8[4]:symbolic --arg alpha=u8[4]:symbolic --arg out=u8[4]
// expect[blend_w]: mismatch
// reference[both_w]: integers.c:both
// launch[both_w]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4]
// expect[both_w]: mismatch rarely
// reference[both]: integers.c:both
// launch[both]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4]
// expect[both]: equivalent
// reference[hash_w]: integers.c:hash_
// launch[hash_w]: --arg n=4 --arg s=i8[4]:symbolic --arg out=u32[1]
// expect[hash_w]: mismatch
// reference[hash]: integers.c:hash_
// launch[hash]: --arg n=4 --arg s=i8[4]:symbolic --arg out=u32[1]
// expect[hash]: equivalent
// reference[long_sum_w]: integers.c:long_sum
// launch[long_sum_w]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i64[1]
// expect[long_sum_w]: mismatch
// reference[long_sum]: integers.c:long_sum
// launch[long_sum]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i64[1]
// expect[long_sum]: equivalent
// reference[long_sum_u]: integers.c:long_sum
// launch[long_sum_u]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i64[1]
// expect[long_sum_u]: mismatch
// reference[bswap]: integers.c:bswap
// launch[bswap]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[4]
// expect[bswap]: equivalent
// reference[bswap_r]: integers.c:bswap
// launch[bswap_r]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[4]
// expect[bswap_r]: equivalent
// reference[bswap_w]: integers.c:bswap
// launch[bswap_w]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[4]
// expect[bswap_w]: mismatch
// reference[lerp]: integers.c:lerp8
// launch[lerp]: --arg n=4 --arg a=u8[4]:symbolic --arg b=u8[4]:symbolic --arg t=symbolic --arg out=u8[4]
// expect[lerp]: equivalent
// reference[prefix_w]: integers.c:prefix_diff
// launch[prefix_w]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i32[4]
// expect[prefix_w]: out-of-bounds
// reference[prefix]: integers.c:prefix_diff
// launch[prefix]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i32[4]
// expect[prefix]: equivalent
// reference[bound]: integers.c:lower_bound_
// launch[bound]: --arg n=4 --arg keys=i32[4]:1,5,9,9 --arg q=i32[4]:symbolic --arg m=4 --arg out=i32[4]
// expect[bound]: equivalent
// reference[bound_w]: integers.c:lower_bound_
// launch[bound_w]: --arg n=4 --arg keys=i32[4]:1,5,9,9 --arg q=i32[4]:symbolic --arg m=4 --arg out=i32[4]
// expect[bound_w]: mismatch
// reference[minimum_w]: integers.c:minimum
// launch[minimum_w]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[1]
// expect[minimum_w]: mismatch
// reference[minimum]: integers.c:minimum
// launch[minimum]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[1]
// expect[minimum]: equivalent
// reference[products]: integers.c:products
// launch[products]: --arg n=4 --arg a=i16[4]:symbolic --arg b=i16[4]:symbolic --arg out=i32[1]
// expect[products]: equivalent
// reference[products_w]: integers.c:products
// launch[products_w]: --arg n=4 --arg a=i16[4]:symbolic --arg b=i16[4]:symbolic --arg out=i32[1]
// expect[products_w]: mismatch
// reference[bits]: integers.c:gather_bits
// launch[bits]: --arg n=4 --arg x=i32[4]:symbolic --arg out=u32[1]
// expect[bits]: equivalent
// reference[bits_w]: integers.c:gather_bits
// launch[bits_w]: --arg n=4 --arg x=i32[4]:symbolic --arg out=u32[1]
// expect[bits_w]: mismatch
// reference[clamp]: integers.c:clamp_
// launch[clamp]: --arg n=4 --arg x=i32[4]:symbolic --arg lo=-5 --arg hi=9 --arg out=i32[4]
// expect[clamp]: equivalent
// reference[clamp_s]: integers.c:clamp_
// launch[clamp_s]: --arg n=4 --arg x=i32[4]:symbolic --arg lo=symbolic --arg hi=symbolic --arg out=i32[4]
// expect[clamp_s]: mismatch
// reference[rot]: integers.c:rot
// launch[rot]: --arg n=4 --arg x=u32[4]:symbolic --arg k=symbolic --arg out=u32[4]
// expect[rot]: equivalent
// reference[rot_w]: integers.c:rot
// launch[rot_w]: --arg n=4 --arg x=u32[4]:symbolic --arg k=symbolic --arg out=u32[4]
// expect[rot_w]: mismatch
// reference[ceil_w]: integers.c:ceil_div
// launch[ceil_w]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[4]
// expect[ceil_w]: mismatch rarely
// reference[ceil_]: integers.c:ceil_div
// launch[ceil_]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[4]
// expect[ceil_]: equivalent
// reference[last_w]: integers.c:last_max
// launch[last_w]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i32[1]
// expect[last_w]: mismatch
// reference[last]: integers.c:last_max
// launch[last]: --arg n=4 --arg x=i32[4]:symbolic --arg out=i32[1]
// expect[last]: equivalent
// reference[dist]: integers.c:distribute
// launch[dist]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg c=i32[4]:symbolic --arg out=i32[4]
// expect[dist]: equivalent
// reference[dist_w]: integers.c:distribute
// launch[dist_w]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg c=i32[4]:symbolic --arg out=i32[4]
// expect[dist_w]: mismatch
// reference[isqrt]: integers.c:isqrt_
// launch[isqrt]: --arg n=4 --arg x=u8[4]:symbolic --arg out=u32[4]
// expect[isqrt]: equivalent
// reference[isqrt_w]: integers.c:isqrt_
// launch[isqrt_w]: --arg n=4 --arg x=u8[4]:symbolic --arg out=u32[4]
// expect[isqrt_w]: mismatch
// reference[parity]: integers.c:parity
// launch[parity]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[4]
// expect[parity]: equivalent
// reference[parity_x]: integers.c:parity
// launch[parity_x]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[4]
// expect[parity_x]: equivalent
// reference[parity_w]: integers.c:parity
// launch[parity_w]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u32[4]
// expect[parity_w]: mismatch
#include <stdint.h>
__global__ void add_sat(unsigned char *out, const unsigned char *a, const unsigned char *b) {
  int t = threadIdx.x;
  out[t] = min(a[t] + b[t], 255);
}

__global__ void add_sat_w(unsigned char *out, const unsigned char *a, const unsigned char *b) {
  int t = threadIdx.x;
  unsigned char s = a[t] + b[t];
  out[t] = s > 255 ? 255 : s;
}

__global__ void add_sat_c(unsigned char *out, const unsigned char *a, const unsigned char *b) {
  int t = threadIdx.x;
  unsigned char s = a[t] + b[t];
  out[t] = s < a[t] ? 255 : s;
}

__global__ void average(unsigned *out, const unsigned *a, const unsigned *b) {
  int t = threadIdx.x;
  out[t] = (a[t] & b[t]) + ((a[t] ^ b[t]) >> 1);
}

__global__ void average_w(unsigned *out, const unsigned *a, const unsigned *b) {
  int t = threadIdx.x;
  out[t] = (a[t] + b[t]) / 2;
}

__global__ void average_v(unsigned *out, const unsigned *a, const unsigned *b) {
  int t = threadIdx.x;
  out[t] = a[t] / 2 + b[t] / 2;
}

__global__ void leading(int *out, const unsigned *a) {
  int t = threadIdx.x;
  out[t] = __clz(a[t]);
}

__global__ void leading_w(int *out, const unsigned *a) {
  int t = threadIdx.x;
  out[t] = 32 - __ffs(__brev(a[t]));
}

__global__ void quarter_w(int *out, const int *a) {
  int t = threadIdx.x;
  out[t] = a[t] >> 2;
}

__global__ void quarter(int *out, const int *a) {
  int t = threadIdx.x;
  out[t] = (a[t] + (a[t] >> 31 & 3)) >> 2;
}

__global__ void mod8_w(int *out, const int *a) {
  int t = threadIdx.x;
  out[t] = a[t] & 7;
}

__global__ void mod8(int *out, const int *a) {
  int t = threadIdx.x;
  out[t] = a[t] - a[t] / 8 * 8;
}

__global__ void high(int *out, const int *a, const int *b) {
  int t = threadIdx.x;
  out[t] = __mulhi(a[t], b[t]);
}

__global__ void high_w(int *out, const int *a, const int *b) {
  int t = threadIdx.x;
  out[t] = __umulhi(a[t], b[t]);
}

__global__ void blend_w(unsigned char *out, const unsigned char *a, const unsigned char *b, const unsigned char *alpha) {
  int t = threadIdx.x;
  unsigned x = a[t] * alpha[t] + b[t] * (255 - alpha[t]);
  out[t] = x >> 8;
}

__global__ void both_w(int *out, const int *a, const int *b) {
  int t = threadIdx.x;
  out[t] = (a[t] & b[t]) != 0;
}

__global__ void both(int *out, const int *a, const int *b) {
  int t = threadIdx.x;
  out[t] = !!a[t] * !!b[t];
}

__global__ void hash_w(unsigned *out, const char *s, int n) {
  if (threadIdx.x == 0) {
    unsigned h = 2166136261u;
    for (int i = 0; i < n; i++) {
      h ^= s[i];
      h *= 16777619u;
    }
    *out = h;
  }
}

__global__ void hash(unsigned *out, const char *s, int n) {
  if (threadIdx.x == 0) {
    unsigned h = 2166136261u;
    for (int i = 0; i < n; i++) h = (h ^ (s[i] & 255)) * 16777619u;
    *out = h;
  }
}

__global__ void long_sum_w(long long *out, const int *x) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *out = s;
}

__global__ void long_sum(unsigned long long *out, const int *x) {
  __shared__ unsigned long long s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, (unsigned long long)(long long)x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *out = s;
}

__global__ void long_sum_u(unsigned long long *out, const int *x) {
  __shared__ unsigned long long s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, (unsigned long long)(unsigned)x[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *out = s;
}

__global__ void bswap(unsigned *out, const unsigned *x) {
  int t = threadIdx.x;
  out[t] = __byte_perm(x[t], 0, 0x0123);
}

__global__ void bswap_r(unsigned *out, const unsigned *x) {
  int t = threadIdx.x;
  const unsigned char *p = (const unsigned char *)&x[t];
  unsigned char *q = (unsigned char *)&out[t];
  for (int k = 0; k < 4; k++) q[k] = p[3 - k];
}

__global__ void bswap_w(unsigned *out, const unsigned *x) {
  int t = threadIdx.x;
  unsigned v = x[t];
  v = v << 16 | v >> 16;
  out[t] = (v & 0x00ff00ff) << 8 | (v & 0xff00ff00) >> 4;
}

__global__ void lerp(unsigned char *out, const unsigned char *a, const unsigned char *b, int t) {
  int i = threadIdx.x;
  out[i] = (a[i] * 256 + (b[i] - a[i]) * t) >> 8;
}

__global__ void prefix_w(int *out, const int *x) {
  unsigned i = threadIdx.x;
  out[i] = i - 1 >= 0 ? x[i] - x[i - 1] : x[i];
}

__global__ void prefix(int *out, const int *x) {
  int i = threadIdx.x;
  __shared__ int s[4];
  s[i] = x[i];
  __syncthreads();
  out[i] = s[i] - (i ? s[i - 1] : 0);
}

__global__ void bound(int *out, const int *keys, int n, const int *q) {
  int t = threadIdx.x;
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (keys[mid] < q[t]) lo = mid + 1;
    else hi = mid;
  }
  out[t] = lo;
}

__global__ void bound_w(int *out, const int *keys, int n, const int *q) {
  int t = threadIdx.x;
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (keys[mid] <= q[t]) lo = mid + 1;
    else hi = mid;
  }
  out[t] = lo;
}

__global__ void minimum_w(unsigned *out, const unsigned *x) {
  int m = x[threadIdx.x];
  for (int d = 16; d; d /= 2) m = min(m, __shfl_down_sync(0xf, m, d));
  if (threadIdx.x == 0) *out = m;
}

__global__ void minimum(unsigned *out, const unsigned *x) {
  unsigned m = x[threadIdx.x];
  for (int d = 2; d; d /= 2) m = min(m, __shfl_xor_sync(0xf, m, d));
  if (threadIdx.x == 0) *out = m;
}

__global__ void products(int *out, const short *a, const short *b, int n) {
  __shared__ int s[4];
  int t = threadIdx.x;
  s[t] = a[t] * b[t];
  __syncthreads();
  if (t < 2) s[t] += s[t + 2];
  __syncthreads();
  if (t == 0) *out = s[0] + s[1];
}

__global__ void products_w(int *out, const short *a, const short *b, int n) {
  __shared__ short s[4];
  int t = threadIdx.x;
  s[t] = a[t] * b[t];
  __syncthreads();
  if (t == 0) *out = s[0] + s[1] + s[2] + s[3];
}

__global__ void bits(unsigned *out, const int *x) {
  unsigned m = __ballot_sync(0xf, x[threadIdx.x] > 0);
  if (threadIdx.x == 0) *out = m;
}

__global__ void bits_w(unsigned *out, const int *x) {
  unsigned m = __ballot_sync(0xf, x[threadIdx.x]);
  if (threadIdx.x == 0) *out = m;
}

__global__ void clamp(int *out, const int *x, int lo, int hi) {
  int t = threadIdx.x;
  out[t] = max(lo, min(x[t], hi));
}

__global__ void clamp_s(int *out, const int *x, int lo, int hi) {
  int t = threadIdx.x;
  out[t] = min(max(lo, x[t]), hi);
}

__global__ void rot(unsigned *out, const unsigned *x, unsigned k) {
  int t = threadIdx.x;
  out[t] = __funnelshift_l(x[t], x[t], k);
}

__global__ void rot_w(unsigned *out, const unsigned *x, unsigned k) {
  int t = threadIdx.x;
  out[t] = __funnelshift_r(x[t], x[t], k);
}

__global__ void ceil_w(unsigned *out, const unsigned *x) {
  int t = threadIdx.x;
  out[t] = (x[t] + 15) / 16;
}

__global__ void ceil_(unsigned *out, const unsigned *x) {
  int t = threadIdx.x;
  out[t] = (x[t] + 15ull) >> 4;
}

__global__ void last_w(int *out, const int *x) {
  __shared__ int k[4];
  int t = threadIdx.x;
  k[t] = t;
  for (int d = 2; d; d /= 2) {
    __syncthreads();
    if (t < d && x[k[t + d]] >= x[k[t]]) k[t] = k[t + d];
  }
  if (t == 0) *out = k[0];
}

__global__ void last(int *out, const int *x) {
  __shared__ int k[4];
  int t = threadIdx.x;
  k[t] = t;
  for (int d = 2; d; d /= 2) {
    __syncthreads();
    if (t < d) {
      int a = k[t], b = k[t + d];
      if (x[b] > x[a] || x[b] == x[a] && b < a) k[t] = b;
    }
  }
  if (t == 0) *out = k[0];
}

__global__ void dist(int *out, const int *a, const int *b, const int *c) {
  int t = threadIdx.x;
  out[t] = a[t] * c[t] - -b[t] * c[t];
}

__global__ void dist_w(int *out, const int *a, const int *b, const int *c) {
  int t = threadIdx.x;
  out[t] = __mul24(a[t] + b[t], c[t]);
}

__global__ void isqrt(unsigned *out, const unsigned char *x) {
  int t = threadIdx.x;
  unsigned r = 0;
  for (unsigned b = 8; b; b /= 2) if ((r + b) * (r + b) <= x[t]) r += b;
  out[t] = r;
}

__global__ void isqrt_w(unsigned *out, const unsigned char *x) {
  int t = threadIdx.x;
  unsigned r = 0;
  for (unsigned b = 8; b; b /= 2) if ((r + b) * (r + b) < x[t]) r += b;
  out[t] = r;
}

__global__ void parity(unsigned *out, const unsigned *x) {
  int t = threadIdx.x;
  out[t] = __popc(x[t]) & 1;
}

__global__ void parity_x(unsigned *out, const unsigned *x) {
  int t = threadIdx.x;
  unsigned v = x[t];
  v ^= v >> 16;
  v ^= v >> 8;
  v ^= v >> 4;
  out[t] = 0x6996 >> (v & 15) & 1;
}

__global__ void parity_w(unsigned *out, const unsigned *x) {
  int t = threadIdx.x;
  unsigned v = x[t];
  v ^= v >> 16;
  v ^= v >> 8;
  v ^= v >> 4;
  out[t] = 0x6966 >> (v & 15) & 1;
}
