#include <math.h>
#include <stdint.h>
#include <stddef.h>
#include <float.h>
void minf_(float *out, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] < b[i] ? a[i] : b[i];
}

void fmin_(float *out, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++) out[i] = fminf(a[i], b[i]);
}

void relu(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] > 0 ? x[i] : 0;
}

void twice(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] + x[i];
}

void half_(double *out, const double *x, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] / 2;
}

void third(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] / 3;
}

void minus(float *out, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] - b[i];
}

void neg(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = -x[i];
}

void trunc_(int *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = (int)x[i];
}

void isneg(int *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = signbit(x[i]) != 0;
}

void isnan_(int *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = isnan(x[i]) != 0;
}

void absf(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = fabsf(x[i]);
}

void sigmoid(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = 1 / (1 + expf(-x[i]));
}

void mix_(float *out, const float *a, const float *b, float t, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] * (1 - t) + b[i] * t;
}

void wide(float *out, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++) out[i] = (float)((double)a[i] * b[i]);
}

void wide3(float *out, const float *a, const float *b, const float *c, int n) {
  for (int i = 0; i < n; i++) out[i] = (float)((double)a[i] * b[i] + c[i]);
}

void dotd(double *out, const float *a, const float *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += (double)a[i] * b[i];
  *out = s;
}

void sumf(float *out, const float *x, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  *out = s;
}

void maxf(float *out, const float *x, int n) {
  float m = -INFINITY;
  for (int i = 0; i < n; i++) m = fmaxf(m, x[i]);
  *out = m;
}

void variance(float *out, const float *x, int n) {
  float m = 0, v = 0;
  for (int i = 0; i < n; i++) m += x[i];
  m /= n;
  for (int i = 0; i < n; i++) v += (x[i] - m) * (x[i] - m);
  *out = v / n;
}

void axpby(float *y, const float *x, float a, float b, int n) {
  for (int i = 0; i < n; i++) y[i] = a * x[i] + b * y[i];
}

void norm3(float *out, const float *v, int n) {
  for (int i = 0; i < n; i++) {
    float x = v[3 * i], y = v[3 * i + 1], z = v[3 * i + 2], r = 1 / sqrtf(x * x + y * y + z * z);
    out[3 * i] = x * r;
    out[3 * i + 1] = y * r;
    out[3 * i + 2] = z * r;
  }
}

void transpose_(float *out, const float *in, int rows, int cols) {
  for (int r = 0; r < rows; r++) for (int c = 0; c < cols; c++) out[c * rows + r] = in[r * cols + c];
}

void mm(float *c, const float *a, const float *b, int m, int n, int k) {
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
    float s = 0;
    for (int l = 0; l < k; l++) s += a[i * k + l] * b[l * n + j];
    c[i * n + j] = s;
  }
}

struct particle { float x, y; int kind; };
void move_(struct particle *p, const float *vx, const float *vy, float dt, int n) {
  for (int i = 0; i < n; i++) if (p[i].kind != 0) {
    p[i].x += vx[i] * dt;
    p[i].y += vy[i] * dt;
  }
}

void round_(int *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = (int)lrintf(x[i]);
}

void floor_(int *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = (int)floorf(x[i]);
}

void poly(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = ((2 * x[i] + 3) * x[i] + 4) * x[i] + 5;
}

void copysign_(float *out, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++) out[i] = copysignf(a[i], b[i]);
}

void smooth3(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) {
    float l = i ? x[i - 1] : x[i], r = i < n - 1 ? x[i + 1] : x[i];
    out[i] = (l + x[i] + r) / 3;
  }
}

void count_above(int *out, const float *x, float t, int n) {
  int c = 0;
  for (int i = 0; i < n; i++) if (!(x[i] <= t)) c++;
  *out = c;
}

void clampf(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) out[i] = fminf(fmaxf(x[i], 0.0f), 1.0f);
}

void eq(int *out, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] == b[i];
}

void to_u8(uint8_t *out, const float *x, int n) {
  for (int i = 0; i < n; i++) {
    float v = x[i] * 255.0f + 0.5f;
    out[i] = v >= 255.0f ? 255 : v > 0 ? (uint8_t)v : 0;
  }
}

void halves(_Float16 *out, const _Float16 *a, const _Float16 *b, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] + b[i];
}

void halfdot(float *out, const _Float16 *a, const _Float16 *b, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += (float)a[i] * (float)b[i];
  *out = s;
}

void cast_d(float *out, const double *x, int n) {
  for (int i = 0; i < n; i++) out[i] = (float)x[i] * 0.1;
}

void size_sum(size_t *out, const uint32_t *x, size_t n) {
  size_t s = 0;
  for (size_t i = n; i-- > 0;) s += x[i];
  *out = s;
}
