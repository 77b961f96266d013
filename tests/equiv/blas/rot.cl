// reference: level1.c:rot
// launch: --block 8 --grid 2 --arg n=16 --arg c=symbolic --arg s=symbolic --arg x=f32[16]:symbolic --arg y=f32[16]:symbolic
// expect[rot]: equivalent
// expect[rot_in_place]: mismatch
__kernel void rot(__global float *x, __global float *y, float c, float s) {
  int i = get_global_id(0);
  float p = x[i], q = y[i];
  x[i] = s * q + c * p;
  y[i] = c * q - s * p;
}

// The second line reads what the first has written.
__kernel void rot_in_place(__global float *x, __global float *y, float c, float s) {
  int i = get_global_id(0);
  x[i] = c * x[i] + s * y[i];
  y[i] = c * y[i] - s * x[i];
}
