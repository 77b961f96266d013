// reference: level1.c:swap
// launch: --block 8 --grid 2 --arg n=13 --arg x=f32[13]:symbolic --arg y=f32[13]:symbolic
// expect[swap]: equivalent
// expect[swap_through_itself]: mismatch
__kernel void swap(__global float *x, __global float *y, int n) {
  int i = get_global_id(0);
  if (i < n) {
    float t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

__kernel void swap_through_itself(__global float *x, __global float *y, int n) {
  int i = get_global_id(0);
  if (i < n) {
    x[i] = y[i];
    y[i] = x[i];
  }
}
