#include <stddef.h>
#include <stdint.h>
#include <math.h>
void add_sat(uint8_t *out, const uint8_t *a, const uint8_t *b, int n) {
  for (int i = 0; i < n; i++) { int s = a[i] + b[i]; out[i] = s > 255 ? 255 : s; }
}

void average(uint32_t *out, const uint32_t *a, const uint32_t *b, int n) {
  for (int i = 0; i < n; i++) out[i] = (uint32_t)(((uint64_t)a[i] + b[i]) / 2);
}

void distance_(uint32_t *out, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) { int64_t d = (int64_t)a[i] - b[i]; out[i] = (uint32_t)(d < 0 ? -d : d); }
}

void leading(int *out, const uint32_t *a, int n) {
  for (int i = 0; i < n; i++) { int k = 0; while (k < 32 && !(a[i] >> (31 - k) & 1)) k++; out[i] = k; }
}

void quarter(int *out, const int *a, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] / 4;
}

void mod8(int *out, const int *a, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] % 8;
}

void high(int *out, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) out[i] = (int)(((int64_t)a[i] * b[i]) >> 32);
}

void blend(uint8_t *out, const uint8_t *a, const uint8_t *b, const uint8_t *alpha, int n) {
  for (int i = 0; i < n; i++) { int x = a[i] * alpha[i] + b[i] * (255 - alpha[i]); out[i] = (uint8_t)((x + 127) / 255); }
}

void both(int *out, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] && b[i];
}

void hash_(uint32_t *out, const signed char *s, int n) {
  uint32_t h = 2166136261u;
  for (int i = 0; i < n; i++) { h ^= (uint8_t)s[i]; h *= 16777619u; }
  *out = h;
}

void long_sum(int64_t *out, const int *x, int n) {
  int64_t s = 0;
  for (int i = 0; i < n; i++) s += x[i];
  *out = s;
}

void bswap(uint32_t *out, const uint32_t *x, int n) {
  for (int i = 0; i < n; i++) { uint32_t v = x[i]; out[i] = v << 24 | (v & 0xff00) << 8 | (v >> 8 & 0xff00) | v >> 24; }
}

void lerp8(uint8_t *out, const uint8_t *a, const uint8_t *b, int t, int n) {
  for (int i = 0; i < n; i++) out[i] = (uint8_t)(a[i] + (((int)b[i] - (int)a[i]) * t >> 8));
}

void less(int *out, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] < b[i];
}

void select_(int *out, const int *a, const int *b, const int *c, int n) {
  for (int i = 0; i < n; i++) out[i] = c[i] ? a[i] : b[i];
}

void prefix_diff(int *out, const int *x, int n) {
  for (int i = 0; i < n; i++) out[i] = i > 0 ? x[i] - x[i - 1] : x[i];
}

void lower_bound_(int *out, const int *keys, int n, const int *q, int m) {
  for (int j = 0; j < m; j++) { int k = 0; while (k < n && keys[k] < q[j]) k++; out[j] = k; }
}

void minimum(uint32_t *out, const uint32_t *x, int n) {
  uint32_t m = x[0];
  for (int i = 1; i < n; i++) if (x[i] < m) m = x[i];
  *out = m;
}

void products(int *out, const short *a, const short *b, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  *out = s;
}

void gather_bits(uint32_t *out, const int *x, int n) {
  uint32_t m = 0;
  for (int i = 0; i < n; i++) if (x[i] > 0) m |= 1u << i;
  *out = m;
}

void clamp_(int *out, const int *x, int lo, int hi, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] < lo ? lo : x[i] > hi ? hi : x[i];
}

void rot(uint32_t *out, const uint32_t *x, uint32_t k, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] << (k & 31) | x[i] >> ((32 - k) & 31);
}

void ceil_div(uint32_t *out, const uint32_t *x, int n) {
  for (int i = 0; i < n; i++) out[i] = x[i] / 16 + (x[i] % 16 != 0);
}

void last_max(int *out, const int *x, int n) {
  int k = 0;
  for (int i = 1; i < n; i++) if (x[i] > x[k]) k = i;
  *out = k;
}

void distribute(int *out, const int *a, const int *b, const int *c, int n) {
  for (int i = 0; i < n; i++) out[i] = (a[i] + b[i]) * c[i];
}

void isqrt_(uint32_t *out, const uint8_t *x, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t r = 0;
    while ((r + 1) * (r + 1) <= x[i]) r++;
    out[i] = r;
  }
}

void parity(uint32_t *out, const uint32_t *x, int n) {
  for (int i = 0; i < n; i++) {
    uint32_t p = 0;
    for (int b = 0; b < 32; b++) p ^= x[i] >> b & 1;
    out[i] = p;
  }
}
