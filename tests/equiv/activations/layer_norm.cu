// reference: norms.c:layer_norm
// launch: --block 2 --grid 1 --arg rows=2 --arg columns=5 --arg epsilon=0.00001 --arg x=f32[10]:symbolic --arg gamma=f32[5]:symbolic --arg beta=f32[5]:symbolic --arg out=f32[10]
// expect[layer_norm]: equivalent
// expect[layer_norm_two_moments]: mismatch by rounding
// expect[layer_norm_sample]: mismatch
// expect[layer_norm_without_beta]: mismatch
__global__ void layer_norm(float *out, const float *x, const float *gamma, const float *beta, float epsilon, int rows,
                           int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x += i * columns, out += i * columns;
  float sum = 0, squares = 0;
  for (int j = 0; j < columns; j++)
    sum += x[j];
  float mean = sum / columns;
  for (int j = 0; j < columns; j++) {
    float d = x[j] - mean;
    squares += d * d;
  }
  float scale = 1.0f / sqrtf(squares / columns + epsilon);
  for (int j = 0; j < columns; j++)
    out[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
}

// The variance from sums of values and squares in one pass: what is left of it can be anything where the values are close
// to each other.
__global__ void layer_norm_two_moments(float *out, const float *x, const float *gamma, const float *beta,
                                       float epsilon, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x += i * columns, out += i * columns;
  float sum = 0, squares = 0;
  for (int j = 0; j < columns; j++)
    sum += x[j], squares += x[j] * x[j];
  float mean = sum / columns, scale = 1.0f / sqrtf(squares / columns - mean * mean + epsilon);
  for (int j = 0; j < columns; j++)
    out[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
}

// Divided by one less.
__global__ void layer_norm_sample(float *out, const float *x, const float *gamma, const float *beta, float epsilon,
                                  int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x += i * columns, out += i * columns;
  float sum = 0, squares = 0;
  for (int j = 0; j < columns; j++)
    sum += x[j];
  float mean = sum / columns;
  for (int j = 0; j < columns; j++)
    squares += (x[j] - mean) * (x[j] - mean);
  float scale = 1.0f / sqrtf(squares / (columns - 1) + epsilon);
  for (int j = 0; j < columns; j++)
    out[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
}

__global__ void layer_norm_without_beta(float *out, const float *x, const float *gamma, float epsilon, int rows,
                                        int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x += i * columns, out += i * columns;
  float sum = 0, squares = 0;
  for (int j = 0; j < columns; j++)
    sum += x[j];
  float mean = sum / columns;
  for (int j = 0; j < columns; j++)
    squares += (x[j] - mean) * (x[j] - mean);
  float scale = 1.0f / sqrtf(squares / columns + epsilon);
  for (int j = 0; j < columns; j++)
    out[j] = (x[j] - mean) * scale * gamma[j];
}
