// Floating point: zeros of both signs, NaN, rounding, other identities.
//
// launch: --block 4 --grid 1
// reference[minf]: floats.c:minf_
// launch[minf]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4]
// expect[minf]: mismatch
// reference[minf_r]: floats.c:minf_
// launch[minf_r]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4]
// expect[minf_r]: equivalent
// reference[minf_g]: floats.c:minf_
// launch[minf_g]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4]
// expect[minf_g]: equivalent
// reference[minf_s]: floats.c:minf_
// launch[minf_s]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4]
// expect[minf_s]: mismatch rarely
// expect[minf_s]: equivalent under positive-zero
// reference[fmin_w]: floats.c:fmin_
// launch[fmin_w]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4]
// expect[fmin_w]: mismatch
// reference[fmin_c]: floats.c:fmin_
// launch[fmin_c]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4]
// expect[fmin_c]: equivalent
// reference[relu]: floats.c:relu
// launch[relu]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[relu]: equivalent
// reference[relu_w]: floats.c:relu
// launch[relu_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[relu_w]: mismatch
// reference[relu_m]: floats.c:relu
// launch[relu_m]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[relu_m]: mismatch
// reference[twice]: floats.c:twice
// launch[twice]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[twice]: equivalent
// reference[halve]: floats.c:half_
// launch[halve]: --arg n=4 --arg x=f64[4]:symbolic --arg out=f64[4]
// expect[halve]: equivalent
// reference[half_w]: floats.c:half_
// launch[half_w]: --arg n=4 --arg x=f64[4]:symbolic --arg out=f64[4]
// expect[half_w]: mismatch
// reference[third_w]: floats.c:third
// launch[third_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[third_w]: mismatch
// reference[minus_n]: floats.c:minus
// launch[minus_n]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4]
// expect[minus_n]: mismatch rarely
// expect[minus_n]: equivalent under positive-zero
// reference[minus_p]: floats.c:minus
// launch[minus_p]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4]
// expect[minus_p]: equivalent
// reference[neg_w]: floats.c:neg
// launch[neg_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[neg_w]: mismatch
// reference[neg_m]: floats.c:neg
// launch[neg_m]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[neg_m]: equivalent
// reference[neg_b]: floats.c:neg
// launch[neg_b]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[neg_b]: equivalent
// reference[trunc_w]: floats.c:trunc_
// launch[trunc_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[trunc_w]: mismatch
// reference[trunc_]: floats.c:trunc_
// launch[trunc_]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[trunc_]: equivalent
// reference[isneg_w]: floats.c:isneg
// launch[isneg_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[isneg_w]: mismatch
// reference[isnan_]: floats.c:isnan_
// launch[isnan_]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[isnan_]: equivalent
// reference[isnan_w]: floats.c:isnan_
// launch[isnan_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[isnan_w]: mismatch
// reference[isnan_b]: floats.c:isnan_
// launch[isnan_b]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[isnan_b]: equivalent
// reference[absf_w]: floats.c:absf
// launch[absf_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[absf_w]: mismatch
// reference[absf]: floats.c:absf
// launch[absf]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[absf]: equivalent
// reference[sigmoid_w]: floats.c:sigmoid
// launch[sigmoid_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[sigmoid_w]: mismatch
// reference[sigmoid]: floats.c:sigmoid
// launch[sigmoid]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[sigmoid]: equivalent
// reference[mix_w]: floats.c:mix_
// launch[mix_w]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg t=symbolic --arg out=f32[4]
// expect[mix_w]: mismatch
// reference[wide3_f]: floats.c:wide3
// launch[wide3_f]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg c=f32[4]:symbolic --arg out=f32[4]
// expect[wide3_f]: mismatch
// reference[dotd_w]: floats.c:dotd
// launch[dotd_w]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f64[1]
// expect[dotd_w]: mismatch
// reference[dotd]: floats.c:dotd
// launch[dotd]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f64[1]
// expect[dotd]: equivalent under associative,positive-zero
// reference[sum_at]: floats.c:sumf
// launch[sum_at]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[1]
// expect[sum_at]: equivalent under associative
// reference[maxf_w]: floats.c:maxf
// launch[maxf_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[1]
// expect[maxf_w]: mismatch
// reference[maxf_z]: floats.c:maxf
// launch[maxf_z]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[1]
// expect[maxf_z]: mismatch
// reference[maxf_i]: floats.c:maxf
// launch[maxf_i]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[1]
// expect[maxf_i]: mismatch
// reference[maxf]: floats.c:maxf
// launch[maxf]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[1]
// expect[maxf]: equivalent under finite
// reference[variance_w]: floats.c:variance
// launch[variance_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[1]
// expect[variance_w]: mismatch
// reference[variance_s]: floats.c:variance
// launch[variance_s]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[1]
// expect[variance_s]: mismatch
// reference[axpby]: floats.c:axpby
// launch[axpby]: --arg n=4 --arg x=f32[4]:symbolic --arg y=f32[4]:symbolic --arg a=symbolic --arg b=symbolic
// expect[axpby]: equivalent
// reference[axpby_f]: floats.c:axpby
// launch[axpby_f]: --arg n=4 --arg x=f32[4]:symbolic --arg y=f32[4]:symbolic --arg a=symbolic --arg b=symbolic
// expect[axpby_f]: mismatch
// reference[norm3_w]: floats.c:norm3
// launch[norm3_w]: --arg n=4 --arg v=f32[12]:symbolic --arg out=f32[12]
// expect[norm3_w]: mismatch
// reference[norm3_v]: floats.c:norm3
// launch[norm3_v]: --arg n=4 --arg v=f32[12]:symbolic --arg out=f32[12]
// expect[norm3_v]: equivalent
// reference[move_w]: floats.c:move_
// launch[move_w]: --arg n=4 --arg p=f32[12]:symbolic --arg vx=f32[4]:symbolic --arg vy=f32[4]:symbolic --arg dt=symbolic
// expect[move_w]: mismatch
// reference[move]: floats.c:move_
// launch[move]: --arg n=4 --arg p=f32[12]:symbolic --arg vx=f32[4]:symbolic --arg vy=f32[4]:symbolic --arg dt=symbolic
// expect[move]: equivalent
// reference[round_w]: floats.c:round_
// launch[round_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[round_w]: mismatch
// reference[round_]: floats.c:round_
// launch[round_]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[round_]: mismatch
// reference[floor_w]: floats.c:floor_
// launch[floor_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[floor_w]: mismatch
// reference[floor_d]: floats.c:floor_
// launch[floor_d]: --arg n=4 --arg x=f32[4]:symbolic --arg out=i32[4]
// expect[floor_d]: equivalent
// reference[poly_w]: floats.c:poly
// launch[poly_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[poly_w]: mismatch
// reference[cs_w]: floats.c:copysign_
// launch[cs_w]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=f32[4]
// expect[cs_w]: mismatch
// reference[smooth3_w]: floats.c:smooth3
// launch[smooth3_w]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[smooth3_w]: mismatch
// reference[smooth3]: floats.c:smooth3
// launch[smooth3]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[smooth3]: equivalent
// reference[count_w]: floats.c:count_above
// launch[count_w]: --arg n=4 --arg x=f32[4]:symbolic --arg t=symbolic --arg out=i32[1]
// expect[count_w]: mismatch
// reference[count_]: floats.c:count_above
// launch[count_]: --arg n=4 --arg x=f32[4]:symbolic --arg t=symbolic --arg out=i32[1]
// expect[count_]: equivalent
// reference[clampf]: floats.c:clampf
// launch[clampf]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[clampf]: equivalent
// reference[clampf_s]: floats.c:clampf
// launch[clampf_s]: --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[4]
// expect[clampf_s]: equivalent
// reference[eq_w]: floats.c:eq
// launch[eq_w]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=i32[4]
// expect[eq_w]: mismatch rarely
// reference[eq_d]: floats.c:eq
// launch[eq_d]: --arg n=4 --arg a=f32[4]:symbolic --arg b=f32[4]:symbolic --arg out=i32[4]
// expect[eq_d]: mismatch rarely
// reference[halves]: floats.c:halves
// launch[halves]: --arg n=4 --arg a=f16[4]:symbolic --arg b=f16[4]:symbolic --arg out=f16[4]
// expect[halves]: equivalent
// reference[halves_f]: floats.c:halves
// launch[halves_f]: --arg n=4 --arg a=f16[4]:symbolic --arg b=f16[4]:symbolic --arg out=f16[4]
// expect[halves_f]: equivalent
// reference[halfdot_w]: floats.c:halfdot
// launch[halfdot_w]: --arg n=4 --arg a=f16[4]:symbolic --arg b=f16[4]:symbolic --arg out=f32[1]
// expect[halfdot_w]: mismatch
// reference[cast_w]: floats.c:cast_d
// launch[cast_w]: --arg n=4 --arg x=f64[4]:symbolic --arg out=f32[4]
// expect[cast_w]: mismatch
// reference[sizes]: floats.c:size_sum
// launch[sizes]: --arg n=4 --arg x=u32[4]:symbolic --arg out=u64[1]
// expect[sizes]: equivalent
#include <cuda_fp16.h>
__global__ void minf(float *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = fminf(a[t], b[t]);
}

__global__ void minf_r(float *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = !(a[t] < b[t]) ? b[t] : a[t];
}

__global__ void minf_g(float *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = b[t] > a[t] ? a[t] : b[t];
}

__global__ void minf_s(float *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = a[t] <= b[t] ? a[t] : b[t];
}

__global__ void fmin_w(float *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = a[t] < b[t] ? a[t] : b[t];
}

__global__ void fmin_c(float *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = fminf(b[t], a[t]);
}

__global__ void relu(float *out, const float *x) {
  int t = threadIdx.x;
  float v = x[t];
  out[t] = v <= 0 || v != v ? 0 : v;
}

__global__ void relu_w(float *out, const float *x) {
  int t = threadIdx.x;
  float v = x[t];
  out[t] = v < 0 ? 0 : v;
}

__global__ void relu_m(float *out, const float *x) {
  int t = threadIdx.x;
  float v = x[t];
  out[t] = v * (v > 0);
}

__global__ void twice(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = 2 * x[t];
}

__global__ void halve(double *out, const double *x) {
  int t = threadIdx.x;
  out[t] = 0.5 * x[t];
}

__global__ void half_w(double *out, const double *x) {
  int t = threadIdx.x;
  out[t] = 0.5f * (float)x[t];
}

__global__ void third_w(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = x[t] * (1.0f / 3);
}

__global__ void minus_n(float *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = -(b[t] - a[t]);
}

__global__ void minus_p(float *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = -b[t] + a[t];
}

__global__ void neg_w(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = 0 - x[t];
}

__global__ void neg_m(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = -1.0f * x[t];
}

__global__ void neg_b(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = __int_as_float(__float_as_int(x[t]) ^ 0x80000000);
}

__global__ void trunc_w(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = __float2int_rn(x[t]);
}

__global__ void trunc_(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = __float2int_rz(x[t]);
}

__global__ void isneg_w(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = x[t] < 0;
}

__global__ void isnan_(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = x[t] != x[t];
}

__global__ void isnan_w(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = (__float_as_int(x[t]) & 0x7f800000) == 0x7f800000;
}

__global__ void isnan_b(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = (__float_as_uint(x[t]) & 0x7fffffff) > 0x7f800000;
}

__global__ void absf_w(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = x[t] < 0 ? -x[t] : x[t];
}

__global__ void absf(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = __uint_as_float(__float_as_uint(x[t]) & 0x7fffffff);
}

__global__ void sigmoid_w(float *out, const float *x) {
  int t = threadIdx.x;
  float e = expf(x[t]);
  out[t] = e / (1 + e);
}

__global__ void sigmoid(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = 1 / (expf(-x[t]) + 1);
}

__global__ void mix_w(float *out, const float *a, const float *b, float t) {
  int i = threadIdx.x;
  out[i] = a[i] + (b[i] - a[i]) * t;
}

__global__ void wide3_f(float *out, const float *a, const float *b, const float *c) {
  int t = threadIdx.x;
  out[t] = a[t] * b[t] + c[t];
}

__global__ void dotd_w(double *out, const float *a, const float *b, int n) {
  if (threadIdx.x == 0) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * b[i];
    *out = s;
  }
}

__global__ void dotd(double *out, const float *a, const float *b, int n) {
  __shared__ double s[4];
  int t = threadIdx.x;
  s[t] = (double)b[t] * a[t];
  __syncthreads();
  if (t < 2) s[t] += s[t + 2];
  __syncthreads();
  if (t == 0) *out = s[0] + s[1];
}

__global__ void sum_at(float *out, const float *x) {
  atomicAdd(out, x[threadIdx.x]);
}

__global__ void maxf_w(float *out, const float *x) {
  __shared__ float s[8];
  int t = threadIdx.x;
  s[t] = x[t];
  s[t + 4] = 1.175494351e-38f;
  for (int d = 4; d; d /= 2) {
    __syncthreads();
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
  }
  if (t == 0) *out = s[0];
}

__global__ void maxf_z(float *out, const float *x) {
  float m = 0;
  int t = threadIdx.x;
  m = fmaxf(m, x[t]);
  for (int d = 2; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(0xf, m, d));
  if (t == 0) *out = m;
}

__global__ void maxf_i(float *out, const float *x) {
  __shared__ int m;
  if (threadIdx.x == 0) m = 0xff800000;
  __syncthreads();
  atomicMax(&m, __float_as_int(x[threadIdx.x]));
  __syncthreads();
  if (threadIdx.x == 0) *out = __int_as_float(m);
}

__global__ void maxf(float *out, const float *x) {
  float m = x[threadIdx.x];
  for (int d = 2; d; d /= 2) m = fmaxf(m, __shfl_xor_sync(0xf, m, d));
  if (threadIdx.x == 0) *out = m;
}

__global__ void variance_w(float *out, const float *x, int n) {
  if (threadIdx.x == 0) {
    float a = 0, b = 0;
    for (int i = 0; i < n; i++) {
      a += x[i];
      b += x[i] * x[i];
    }
    a /= n;
    *out = b / n - a * a;
  }
}

__global__ void variance_s(float *out, const float *x, int n) {
  if (threadIdx.x == 0) {
    float m = 0, v = 0;
    for (int i = 0; i < n; i++) m += x[i];
    m /= n;
    for (int i = 0; i < n; i++) v += (x[i] - m) * (x[i] - m);
    *out = v / (n - 1);
  }
}

__global__ void axpby(float *y, const float *x, float a, float b) {
  int t = threadIdx.x;
  float s = y[t] * b;
  y[t] = s + x[t] * a;
}

__global__ void axpby_f(float *y, const float *x, float a, float b) {
  int t = threadIdx.x;
  y[t] = fmaf(a, x[t], b * y[t]);
}

__global__ void norm3_w(float *out, const float *v) {
  int t = threadIdx.x;
  const float *p = v + 3 * t;
  float r = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  for (int k = 0; k < 3; k++) out[3 * t + k] = p[k] / r;
}

__global__ void norm3_v(float3 *out, const float3 *v) {
  int t = threadIdx.x;
  float3 p = v[t];
  float r = 1.0f / sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
  out[t] = make_float3(p.x * r, p.y * r, p.z * r);
}

struct particle { float x, y; int kind; };
__global__ void move_w(particle *p, const float *vx, const float *vy, float dt) {
  int t = threadIdx.x;
  float on = p[t].kind != 0;
  p[t].x += on * vx[t] * dt;
  p[t].y += on * vy[t] * dt;
}

__global__ void move(particle *p, const float *vx, const float *vy, float dt) {
  int t = threadIdx.x;
  particle q = p[t];
  if (q.kind) {
    q.y += dt * vy[t];
    q.x += dt * vx[t];
  }
  p[t] = q;
}

__global__ void round_w(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = (int)(x[t] + 0.5f);
}

__global__ void round_(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = __float2int_rn(x[t]);
}

__global__ void floor_w(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = x[t];
}

__global__ void floor_d(int *out, const float *x) {
  int t = threadIdx.x;
  out[t] = __float2int_rd(x[t]);
}

__global__ void poly_w(float *out, const float *x) {
  int t = threadIdx.x;
  float v = x[t];
  out[t] = 2 * v * v * v + 3 * v * v + 4 * v + 5;
}

__global__ void cs_w(float *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = b[t] < 0 ? -fabsf(a[t]) : fabsf(a[t]);
}

__global__ void smooth3_w(float *out, const float *x, int n) {
  int t = threadIdx.x;
  float s = x[t];
  int k = 1;
  if (t) {
    s += x[t - 1];
    k++;
  }
  if (t < n - 1) {
    s += x[t + 1];
    k++;
  }
  out[t] = s / k;
}

__global__ void smooth3(float *out, const float *x, int n) {
  __shared__ float s[6];
  int t = threadIdx.x;
  s[t + 1] = x[t];
  if (t == 0) s[0] = x[0];
  if (t == n - 1) s[n + 1] = x[n - 1];
  __syncthreads();
  out[t] = (s[t] + s[t + 1] + s[t + 2]) / 3;
}

__global__ void count_w(int *out, const float *x, float t) {
  int c = __syncthreads_count(x[threadIdx.x] > t);
  if (threadIdx.x == 0) *out = c;
}

__global__ void count_(int *out, const float *x, float t) {
  int c = __syncthreads_count(x[threadIdx.x] <= t);
  if (threadIdx.x == 0) *out = 4 - c;
}

__global__ void clampf(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = fminf(1.0f, fmaxf(0.0f, x[t]));
}

__global__ void clampf_s(float *out, const float *x) {
  int t = threadIdx.x;
  out[t] = __saturatef(x[t]);
}

__global__ void eq_w(int *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = __float_as_int(a[t]) == __float_as_int(b[t]);
}

__global__ void eq_d(int *out, const float *a, const float *b) {
  int t = threadIdx.x;
  out[t] = a[t] - b[t] == 0;
}

__global__ void halves(__half *out, const __half *a, const __half *b) {
  int t = threadIdx.x;
  out[t] = __hadd(a[t], b[t]);
}

__global__ void halves_f(__half *out, const __half *a, const __half *b) {
  int t = threadIdx.x;
  out[t] = __float2half(__half2float(a[t]) + __half2float(b[t]));
}

__global__ void halfdot_w(float *out, const __half *a, const __half *b, int n) {
  if (threadIdx.x == 0) {
    __half s = __float2half(0.0f);
    for (int i = 0; i < n; i++) s = __hadd(s, __hmul(a[i], b[i]));
    *out = __half2float(s);
  }
}

__global__ void cast_w(float *out, const double *x) {
  int t = threadIdx.x;
  out[t] = (float)x[t] * 0.1f;
}

__global__ void sizes(unsigned long long *out, const unsigned *x, size_t n) {
  __shared__ unsigned lo, hi;
  int t = threadIdx.x;
  if (t == 0) lo = hi = 0;
  __syncthreads();
  atomicAdd(&lo, x[t] & 0xffff);
  atomicAdd(&hi, x[t] >> 16);
  __syncthreads();
  if (t == 0) *out = lo + ((unsigned long long)hi << 16);
}
