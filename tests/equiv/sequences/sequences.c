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
