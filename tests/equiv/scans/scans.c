#include <stdint.h>

void inclusive(int *out, const int *x, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    out[i] = sum += x[i];
}

void exclusive(int *out, const int *x, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    out[i] = sum;
    sum += x[i];
  }
}

void inclusive_floats(float *out, const float *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    out[i] = sum += x[i];
}

// A sum begins anew at each flag.
void segmented(int *out, const int *x, const int *flags, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    out[i] = sum = flags[i] ? x[i] : sum + x[i];
}

void running_maximum(int *out, const int *x, int n) {
  int best = x[0];
  for (int i = 0; i < n; i++)
    out[i] = best = x[i] > best ? x[i] : best;
}

// In place, so that what is behind the kept elements stays.
void compact(int *out, int *kept, const int *x, int n) {
  int count = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      out[count++] = x[i];
  *kept = count;
}

void insertion_sort(int *x, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && x[j - 1] > x[j]; j--) {
      int t = x[j];
      x[j] = x[j - 1];
      x[j - 1] = t;
    }
}

void counting_rank(int *rank, const int *x, int n) {
  for (int i = 0; i < n; i++) {
    int before = 0;
    for (int j = 0; j < n; j++)
      before += x[j] < x[i] || (x[j] == x[i] && j < i);
    rank[i] = before;
  }
}
