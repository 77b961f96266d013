#include <math.h>

void saxpy(float *y, const float *x, float a, int n) {
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];
}

void scal(double *x, double a, int n) {
  for (int i = 0; i < n; i++)
    x[i] *= a;
}

void swap(float *x, float *y, int n) {
  for (int i = 0; i < n; i++) {
    float t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

void rot(float *x, float *y, float c, float s, int n) {
  for (int i = 0; i < n; i++) {
    float t = c * x[i] + s * y[i];
    y[i] = c * y[i] - s * x[i];
    x[i] = t;
  }
}

void dot(float *out, const float *x, const float *y, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  *out = sum;
}

void asum(float *out, const float *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += fabsf(x[i]);
  *out = sum;
}

void nrm2(float *out, const float *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i] * x[i];
  *out = sqrtf(sum);
}

// The first of the largest.
void iamax(int *out, const int *x, int n) {
  int best = 0;
  for (int i = 1; i < n; i++)
    if (x[i] > x[best])
      best = i;
  *out = best;
}
