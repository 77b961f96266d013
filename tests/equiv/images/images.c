#include <stdint.h>

void transpose(float *out, const float *in, int rows, int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      out[j * rows + i] = in[i * columns + j];
}

void three_point(float *out, const float *in, int n) {
  out[0] = in[0];
  for (int i = 1; i < n - 1; i++)
    out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
  out[n - 1] = in[n - 1];
}

void jacobi(float *out, const float *in, int width, int height) {
  for (int y = 1; y < height - 1; y++)
    for (int x = 1; x < width - 1; x++) {
      int i = y * width + x;
      out[i] = 0.25f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    }
}

void heat(float *out, const float *in, float k, int n) {
  for (int z = 0; z < n; z++)
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        int i = (z * n + y) * n + x;
        float sum = -6 * in[i];
        sum += x > 0 ? in[i - 1] : in[i];
        sum += x < n - 1 ? in[i + 1] : in[i];
        sum += y > 0 ? in[i - n] : in[i];
        sum += y < n - 1 ? in[i + n] : in[i];
        sum += z > 0 ? in[i - n * n] : in[i];
        sum += z < n - 1 ? in[i + n * n] : in[i];
        out[i] = in[i] + k * sum;
      }
}

void convolve(float *out, const float *in, const float *taps, int n, int radius) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = -radius; k <= radius; k++)
      if (i + k >= 0 && i + k < n)
        sum += taps[k + radius] * in[i + k];
    out[i] = sum;
  }
}

void blur(float *out, const float *in, int width, int height) {
  static const float weight[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float sum = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
          int sx = x + dx, sy = y + dy;
          sx = sx < 0 ? 0 : sx >= width ? width - 1 : sx;
          sy = sy < 0 ? 0 : sy >= height ? height - 1 : sy;
          sum += weight[dy + 1][dx + 1] * in[sy * width + sx];
        }
      out[y * width + x] = sum / 16;
    }
}

void max_pool(float *out, const float *in, int width, int height) {
  for (int y = 0; y < height / 2; y++)
    for (int x = 0; x < width / 2; x++) {
      const float *p = in + 2 * y * width + 2 * x;
      float a = p[0] > p[1] ? p[0] : p[1], b = p[width] > p[width + 1] ? p[width] : p[width + 1];
      out[y * (width / 2) + x] = a > b ? a : b;
    }
}

void grey(uint8_t *out, const uint8_t *rgb, int n) {
  for (int i = 0; i < n; i++)
    out[i] = (uint8_t)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}

// Products of two bytes, back to a byte.
void to_bytes(uint8_t *out, const uint16_t *products, int n) {
  for (int i = 0; i < n; i++)
    out[i] = (uint8_t)((products[i] + 127) / 255);
}

void flip(int *image, int width, int height) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width / 2; x++) {
      int t = image[y * width + x];
      image[y * width + x] = image[y * width + width - 1 - x];
      image[y * width + width - 1 - x] = t;
    }
}

void brighten(uint8_t *image, const uint8_t *by, int n) {
  for (int i = 0; i < n; i++) {
    int sum = image[i] + by[i];
    image[i] = (uint8_t)(sum > 255 ? 255 : sum);
  }
}
