// reference: reductions.c:mean
// launch: --block 4 --grid 1 --arg n=4 --arg x=f32[4]:symbolic --arg out=f32[1]
// expect[mean]: equivalent under positive-zero,associative
// expect[mean_of_quotients]: close 1e-5
// expect[mean_of_integers]: mismatch
__kernel void mean(__global float *out, __global const float *x, int n) {
  __local float s[4];
  int t = get_local_id(0);
  s[t] = x[t];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0)
    *out = ((s[0] + s[2]) + (s[1] + s[3])) / n;
}

__kernel void mean_of_quotients(__global float *out, __global const float *x, int n) {
  if (get_local_id(0) == 0)
    *out = x[0] / n + x[1] / n + x[2] / n + x[3] / n;
}

__kernel void mean_of_integers(__global float *out, __global const float *x, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += (int)x[i];
  if (get_local_id(0) == 0)
    *out = (float)sum / n;
}
