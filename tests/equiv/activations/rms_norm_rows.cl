// reference: norms.c:rms_norm
// launch: --block 3 --grid 1 --arg rows=3 --arg columns=4 --arg epsilon=symbolic --arg x=f32[12]:symbolic --arg weight=f32[4]:symbolic --arg out=f32[12]
// expect[rms_norm]: equivalent
// expect[rms_norm_rsqrt]: close 1e-5
// expect[rms_norm_native]: close 1e-5
// expect[rms_norm_epsilon]: mismatch
__kernel void rms_norm(__global float *out, __global const float *x, __global const float *weight, float epsilon,
                       int columns) {
  int i = get_global_id(0) * columns;
  float sum = 0;
  for (int j = 0; j < columns; j++)
    sum += x[i + j] * x[i + j];
  float scale = 1.0f / sqrt(sum / columns + epsilon);
  for (int j = 0; j < columns; j++)
    out[i + j] = x[i + j] * scale * weight[j];
}

__kernel void rms_norm_rsqrt(__global float *out, __global const float *x, __global const float *weight, float epsilon,
                             int columns) {
  int i = get_global_id(0) * columns;
  float sum = 0;
  for (int j = 0; j < columns; j++)
    sum += x[i + j] * x[i + j];
  float scale = rsqrt(sum / columns + epsilon);
  for (int j = 0; j < columns; j++)
    out[i + j] = x[i + j] * scale * weight[j];
}

// As accurate as the device likes.
__kernel void rms_norm_native(__global float *out, __global const float *x, __global const float *weight,
                              float epsilon, int columns) {
  int i = get_global_id(0) * columns;
  float sum = 0;
  for (int j = 0; j < columns; j++)
    sum += x[i + j] * x[i + j];
  float scale = native_recip(native_sqrt(sum / columns + epsilon));
  for (int j = 0; j < columns; j++)
    out[i + j] = x[i + j] * scale * weight[j];
}

// Outside the root.
__kernel void rms_norm_epsilon(__global float *out, __global const float *x, __global const float *weight,
                               float epsilon, int columns) {
  int i = get_global_id(0) * columns;
  float sum = 0;
  for (int j = 0; j < columns; j++)
    sum += x[i + j] * x[i + j];
  float scale = 1.0f / (sqrt(sum / columns) + epsilon);
  for (int j = 0; j < columns; j++)
    out[i + j] = x[i + j] * scale * weight[j];
}
