#include <math.h>
#include <stdint.h>
#include <string.h>

void histogram(int *bins, const uint8_t *x, int n) {
  for (int i = 0; i < n; i++)
    bins[x[i] >> 5]++;
}

void spmv(float *y, const int *start, const int *column, const float *value, const float *x, int rows) {
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

void quantise(int8_t *out, const float *x, float scale, int n) {
  for (int i = 0; i < n; i++) {
    float v = rintf(x[i] * scale);
    v = fminf(fmaxf(v, -127.0f), 127.0f);
    out[i] = (int8_t)v;
  }
}

// Two values of four bits in a byte, the lower half first; each of `group` values has a scale.
void dequantise(float *out, const uint8_t *packed, const float *scales, int n, int group) {
  for (int i = 0; i < n; i++) {
    int nibble = i % 2 ? packed[i / 2] >> 4 : packed[i / 2] & 15;
    out[i] = (float)(nibble - 8) * scales[i / group];
  }
}

void gather(float *out, const float *table, const int *rows, int count, int width) {
  for (int i = 0; i < count; i++)
    memcpy(out + i * width, table + rows[i] * width, width * sizeof *out);
}

void complex_multiply(float *out, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++) {
    float ar = a[2 * i], ai = a[2 * i + 1], br = b[2 * i], bi = b[2 * i + 1];
    out[2 * i] = ar * br - ai * bi;
    out[2 * i + 1] = ar * bi + ai * br;
  }
}

// One stage of a Fourier transform.
void butterflies(float *re, float *im, const float *wr, const float *wi, int n) {
  for (int k = 0; k < n / 2; k++) {
    float tr = wr[k] * re[k + n / 2] - wi[k] * im[k + n / 2], ti = wr[k] * im[k + n / 2] + wi[k] * re[k + n / 2];
    float ur = re[k], ui = im[k];
    re[k] = ur + tr, im[k] = ui + ti;
    re[k + n / 2] = ur - tr, im[k + n / 2] = ui - ti;
  }
}

void xorshift(uint32_t *state, uint32_t *out, int n, int rounds) {
  for (int i = 0; i < n; i++) {
    uint32_t s = state[i];
    for (int r = 0; r < rounds; r++) {
      s ^= s << 13;
      s ^= s >> 17;
      s ^= s << 5;
    }
    state[i] = s;
    out[i] = s & 0xffff;
  }
}

void popcount(int *out, const uint32_t *x, int n) {
  for (int i = 0; i < n; i++) {
    int count = 0;
    for (int b = 0; b < 32; b++)
      count += x[i] >> b & 1;
    out[i] = count;
  }
}

void upper(char *text, int n) {
  for (int i = 0; i < n; i++)
    if (text[i] >= 'a' && text[i] <= 'z')
      text[i] -= 'a' - 'A';
}

void midpoint(uint32_t *out, const uint32_t *a, const uint32_t *b, int n) {
  for (int i = 0; i < n; i++)
    out[i] = (uint32_t)(((uint64_t)a[i] + b[i]) / 2);
}

// Gravity: the acceleration of each body.
void gravity(float *acceleration, const float *position, const float *mass, float softening, int n) {
  for (int i = 0; i < n; i++) {
    float ax = 0, ay = 0;
    for (int j = 0; j < n; j++) {
      float dx = position[2 * j] - position[2 * i], dy = position[2 * j + 1] - position[2 * i + 1];
      float r2 = dx * dx + dy * dy + softening, f = mass[j] / (r2 * sqrtf(r2));
      ax += f * dx;
      ay += f * dy;
    }
    acceleration[2 * i] = ax;
    acceleration[2 * i + 1] = ay;
  }
}

void horner(double *out, const double *x, const double *c, int n, int degree) {
  for (int i = 0; i < n; i++) {
    double sum = c[degree];
    for (int k = degree - 1; k >= 0; k--)
      sum = sum * x[i] + c[k];
    out[i] = sum;
  }
}

void days_of_month(int *out, const int *month, const int *leap, int n) {
  static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (int i = 0; i < n; i++) {
    int m = month[i] & 15;
    out[i] = m < 12 ? days[m] + (m == 1 && leap[i]) : 0;
  }
}
