#include <math.h>

void relu(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++)
    out[i] = x[i] > 0 ? x[i] : 0;
}

// By the error function.
void gelu(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++)
    out[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}

// By the hyperbolic tangent.
void gelu_tanh(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++) {
    float inner = 0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]);
    out[i] = 0.5f * x[i] * (1.0f + tanhf(inner));
  }
}

void silu(float *out, const float *x, int n) {
  for (int i = 0; i < n; i++)
    out[i] = x[i] / (1.0f + expf(-x[i]));
}

void leaky_relu(float *out, const float *x, float slope, int n) {
  for (int i = 0; i < n; i++)
    out[i] = x[i] < 0 ? slope * x[i] : x[i];
}

void bias_gelu_scale(float *out, const float *x, const float *bias, float scale, int rows, int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float v = x[i * columns + j] + bias[j];
      out[i * columns + j] = scale * (0.5f * v * (1.0f + erff(v * 0.70710678f)));
    }
}
