void quot(int *out, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) out[i] = a[i] / b[i];
}

void safe(int *out, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) out[i] = b[i] ? a[i] / b[i] : 0;
}

void wrapped(int *out, const int *a, int k, int n) {
  for (int i = 0; i < n; i++) out[i] = a[(i + 1) % k];
}
