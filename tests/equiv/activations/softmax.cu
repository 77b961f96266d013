// reference: norms.c:softmax
// launch: --block 4 --grid 1 --arg rows=4 --arg columns=6 --arg x=f32[24]:symbolic --arg out=f32[24]
// expect[softmax_naive]: equivalent
// expect[softmax_without_maximum]: mismatch by rounding
// expect[softmax_online]: close 1e-5
// expect[softmax_online_unscaled]: mismatch
__global__ void softmax_naive(float *out, const float *x, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  x += i * columns, out += i * columns;
  float largest = x[0], sum = 0;
  for (int j = 1; j < columns; j++)
    largest = fmaxf(largest, x[j]);
  for (int j = 0; j < columns; j++)
    sum += out[j] = expf(x[j] - largest);
  for (int j = 0; j < columns; j++)
    out[j] /= sum;
}

// Large numbers overflow.
__global__ void softmax_without_maximum(float *out, const float *x, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  x += i * columns, out += i * columns;
  float sum = 0;
  for (int j = 0; j < columns; j++)
    sum += expf(x[j]);
  for (int j = 0; j < columns; j++)
    out[j] = expf(x[j]) / sum;
}

// One pass for maximum and sum: the sum is scaled when the maximum grows.
__global__ void softmax_online(float *out, const float *x, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  x += i * columns, out += i * columns;
  float largest = -INFINITY, sum = 0;
  for (int j = 0; j < columns; j++) {
    float now = fmaxf(largest, x[j]);
    sum = sum * expf(largest - now) + expf(x[j] - now);
    largest = now;
  }
  for (int j = 0; j < columns; j++)
    out[j] = expf(x[j] - largest) / sum;
}

__global__ void softmax_online_unscaled(float *out, const float *x, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  x += i * columns, out += i * columns;
  float largest = -INFINITY, sum = 0;
  for (int j = 0; j < columns; j++) {
    float now = fmaxf(largest, x[j]);
    sum = sum + expf(x[j] - now);
    largest = now;
  }
  for (int j = 0; j < columns; j++)
    out[j] = expf(x[j] - largest) / sum;
}
