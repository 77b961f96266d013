#include <math.h>

void sum(int *out, const int *x, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += x[i];
  *out = sum;
}

void scan(int *out, const int *x, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    out[i] = sum += x[i];
}

// Three steps of a smoothing of the inner points.
void smooth(float *a, int n) {
  for (int round = 0; round < 3; round++) {
    float before = a[0];
    for (int i = 1; i < n - 1; i++) {
      float now = a[i];
      a[i] = 0.5f * now + 0.25f * (before + a[i + 1]);
      before = now;
    }
  }
}

// Each element times a, and one where a flag is set.
void flagged(int *out, const int *x, const int *flags, int a, int n) {
  for (int i = 0; i < n; i++)
    out[i] = flags[i] > 0 ? a * x[i] + 1 : a * x[i];
}

void softmax(float *out, const float *x, int n) {
  float m = x[0], sum = 0;
  for (int i = 1; i < n; i++)
    m = fmaxf(m, x[i]);
  for (int i = 0; i < n; i++)
    sum += expf(x[i] - m);
  for (int i = 0; i < n; i++)
    out[i] = expf(x[i] - m) / sum;
}

// How many of each digit, and where each digit's run begins.
void digits(unsigned *counts, unsigned *starts, const unsigned *x, int n) {
  for (int d = 0; d < 4; d++)
    counts[d] = 0;
  for (int i = 0; i < n; i++)
    counts[x[i] & 3]++;
  for (int d = 0, at = 0; d < 4; at += counts[d++])
    starts[d] = at;
}
