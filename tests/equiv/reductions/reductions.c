#include <limits.h>
#include <math.h>
#include <stdint.h>

void sum(int *out, const int *x, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  *out = sum;
}

void largest(int *out, const int *x, int n) {
  int best = INT_MIN;
  for (int i = 0; i < n; i++)
    best = x[i] > best ? x[i] : best;
  *out = best;
}

void smallest(float *out, const float *x, int n) {
  float best = INFINITY;
  for (int i = 0; i < n; i++)
    best = fminf(best, x[i]);
  *out = best;
}

void product(uint32_t *out, const uint32_t *x, int n) {
  uint32_t product = 1;
  for (int i = 0; i < n; i++)
    product *= x[i];
  *out = product;
}

void bits(uint32_t *out, const uint32_t *x, int n) {
  out[0] = ~0u, out[1] = 0, out[2] = 0;
  for (int i = 0; i < n; i++)
    out[0] &= x[i], out[1] |= x[i], out[2] ^= x[i];
}

void count_positive(int *out, const float *x, int n) {
  int count = 0;
  for (int i = 0; i < n; i++)
    count += x[i] > 0;
  *out = count;
}

void row_sums(int *out, const int *x, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    int sum = 0;
    for (int j = 0; j < columns; j++)
      sum += x[i * columns + j];
    out[i] = sum;
  }
}

void column_sums(float *out, const float *x, int rows, int columns) {
  for (int j = 0; j < columns; j++) {
    float sum = 0;
    for (int i = 0; i < rows; i++)
      sum += x[i * columns + j];
    out[j] = sum;
  }
}

void mean(float *out, const float *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  *out = sum / n;
}
