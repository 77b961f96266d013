// A group for each row.
//
// reference: level23.c:gemv
// launch: --block 4 --grid 3 --arg rows=3 --arg columns=8 --arg a=f32[24]:symbolic --arg x=f32[8]:symbolic --arg y=f32[3]
// expect[gemv]: equivalent under positive-zero,associative
// expect[gemv_drops]: mismatch under positive-zero,associative
__kernel void gemv(__global float *y, __global const float *a, __global const float *x, int columns) {
  __local float s[4];
  int t = get_local_id(0), i = get_group_id(0);
  float sum = 0;
  for (int k = t; k < columns; k += 4)
    sum += a[i * columns + k] * x[k];
  s[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0)
    y[i] = s[0] + s[1] + s[2] + s[3];
}

__kernel void gemv_drops(__global float *y, __global const float *a, __global const float *x, int columns) {
  __local float s[4];
  int t = get_local_id(0), i = get_group_id(0);
  float sum = 0;
  for (int k = t; k < columns - 1; k += 4)
    sum += a[i * columns + k] * x[k];
  s[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0)
    y[i] = s[0] + s[1] + s[2] + s[3];
}
