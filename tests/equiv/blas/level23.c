void gemv(float *y, const float *a, const float *x, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    for (int k = 0; k < columns; k++)
      sum += a[i * columns + k] * x[k];
    y[i] = sum;
  }
}

void ger(float *a, const float *x, const float *y, float alpha, int rows, int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      a[i * columns + j] += alpha * x[i] * y[j];
}

// A lower triangular system, by substitution.
void trsv(float *x, const float *a, const float *b, int n) {
  for (int i = 0; i < n; i++) {
    float sum = b[i];
    for (int k = 0; k < i; k++)
      sum -= a[i * n + k] * x[k];
    x[i] = sum / a[i * n + i];
  }
}

void gemm(float *c, const float *a, const float *b, int n, int m, int k) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float sum = 0;
      for (int p = 0; p < k; p++)
        sum += a[i * k + p] * b[p * m + j];
      c[i * m + j] = sum;
    }
}

void syrk(float *c, const float *a, float alpha, float beta, int n, int k) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      float sum = 0;
      for (int p = 0; p < k; p++)
        sum += a[i * k + p] * a[j * k + p];
      c[i * n + j] = alpha * sum + beta * c[i * n + j];
    }
}

void gemm_integers(int *c, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int p = 0; p < n; p++)
        sum += a[i * n + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}
