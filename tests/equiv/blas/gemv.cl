// reference: level23.c:gemv
// launch: --block 4 --grid 2 --arg rows=6 --arg columns=5 --arg a=f32[30]:symbolic --arg x=f32[5]:symbolic --arg y=f32[6]
// expect[gemv]: equivalent
// expect[gemv_columns]: mismatch
__kernel void gemv(__global float *y, __global const float *a, __global const float *x, int rows, int columns) {
  int i = get_global_id(0);
  if (i >= rows)
    return;
  float sum = 0;
  for (int k = 0; k < columns; k++)
    sum += a[i * columns + k] * x[k];
  y[i] = sum;
}

// As if the matrix were stored by columns.
__kernel void gemv_columns(__global float *y, __global const float *a, __global const float *x, int rows, int columns) {
  int i = get_global_id(0);
  if (i >= rows)
    return;
  float sum = 0;
  for (int k = 0; k < columns; k++)
    sum += a[k * rows + i] * x[k];
  y[i] = sum;
}
