// The matrix has a fixed pattern; its values are open.
//
// reference: data.c:spmv
// launch: --block 4 --grid 1 --arg rows=4 --arg start=i32[5]:0,2,3,3,6 --arg column=i32[6]:0,3,1,0,1,2 --arg value=f32[6]:symbolic --arg x=f32[4]:symbolic --arg y=f32[4]
// expect[spmv]: equivalent
// expect[spmv_skips_empty]: mismatch
// expect[spmv_inclusive]: out-of-bounds
__kernel void spmv(__global float *y, __global const int *start, __global const int *column,
                   __global const float *value, __global const float *x) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = start[i]; k < start[i + 1]; k++)
    sum += x[column[k]] * value[k];
  y[i] = sum;
}

// A row without elements gets one.
__kernel void spmv_skips_empty(__global float *y, __global const int *start, __global const int *column,
                               __global const float *value, __global const float *x) {
  int i = get_global_id(0), k = start[i];
  float sum = 0;
  do
    sum += x[column[k]] * value[k];
  while (++k < start[i + 1]);
  y[i] = sum;
}

__kernel void spmv_inclusive(__global float *y, __global const int *start, __global const int *column,
                             __global const float *value, __global const float *x) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = start[i]; k <= start[i + 1]; k++)
    sum += x[column[k]] * value[k];
  y[i] = sum;
}
