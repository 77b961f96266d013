#include <math.h>

void softmax(float *out, const float *x, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    const float *row = x + i * columns;
    float largest = row[0], sum = 0;
    for (int j = 1; j < columns; j++)
      largest = fmaxf(largest, row[j]);
    for (int j = 0; j < columns; j++)
      sum += expf(row[j] - largest);
    for (int j = 0; j < columns; j++)
      out[i * columns + j] = expf(row[j] - largest) / sum;
  }
}

void layer_norm(float *out, const float *x, const float *gamma, const float *beta, float epsilon, int rows,
                int columns) {
  for (int i = 0; i < rows; i++) {
    const float *row = x + i * columns;
    float sum = 0, squares = 0;
    for (int j = 0; j < columns; j++)
      sum += row[j];
    float mean = sum / columns;
    for (int j = 0; j < columns; j++)
      squares += (row[j] - mean) * (row[j] - mean);
    float scale = 1.0f / sqrtf(squares / columns + epsilon);
    for (int j = 0; j < columns; j++)
      out[i * columns + j] = (row[j] - mean) * scale * gamma[j] + beta[j];
  }
}

void rms_norm(float *out, const float *x, const float *weight, float epsilon, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    const float *row = x + i * columns;
    float squares = 0;
    for (int j = 0; j < columns; j++)
      squares += row[j] * row[j];
    float scale = 1.0f / sqrtf(squares / columns + epsilon);
    for (int j = 0; j < columns; j++)
      out[i * columns + j] = row[j] * scale * weight[j];
  }
}

void batch_norm(float *out, const float *x, const float *mean, const float *variance, int batch, int channels,
                int size) {
  for (int b = 0; b < batch; b++)
    for (int c = 0; c < channels; c++)
      for (int i = 0; i < size; i++) {
        int at = (b * channels + c) * size + i;
        out[at] = (x[at] - mean[c]) / sqrtf(variance[c] + 1e-5f);
      }
}

void rope(float *x, const float *cosines, const float *sines, int positions, int half) {
  for (int p = 0; p < positions; p++)
    for (int k = 0; k < half; k++) {
      float *at = x + (p * half + k) * 2, c = cosines[p * half + k], s = sines[p * half + k];
      float a = at[0], b = at[1];
      at[0] = a * c - b * s;
      at[1] = a * s + b * c;
    }
}

// One query, one head.
void attention(float *out, const float *q, const float *k, const float *v, float scale, int keys, int width) {
  float scores[16], largest = -INFINITY, sum = 0;
  for (int i = 0; i < keys; i++) {
    float s = 0;
    for (int d = 0; d < width; d++)
      s += q[d] * k[i * width + d];
    scores[i] = s * scale;
    largest = fmaxf(largest, scores[i]);
  }
  for (int i = 0; i < keys; i++) {
    scores[i] = expf(scores[i] - largest);
    sum += scores[i];
  }
  for (int d = 0; d < width; d++) {
    float o = 0;
    for (int i = 0; i < keys; i++)
      o += scores[i] / sum * v[i * width + d];
    out[d] = o;
  }
}
