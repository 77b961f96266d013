// The smaller of two numbers, where neither is a NaN and the sign of zero does not matter.
//
// reference: reductions.c:smallest
// launch: --block 8 --grid 1 --arg n=8 --arg x=f32[8]:symbolic --arg out=f32[1]
// expect[smallest]: equivalent under positive-zero,finite
// expect[smallest_in_order]: equivalent
// expect[smallest_of_sizes]: mismatch
__kernel void smallest(__global float *out, __global const float *x) {
  __local float s[8];
  int t = get_local_id(0);
  s[t] = x[t];
  for (int d = 4; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] = fmin(s[t], s[t + d]);
  }
  if (t == 0)
    *out = s[0];
}

__kernel void smallest_in_order(__global float *out, __global const float *x, int n) {
  if (get_local_id(0) == 0) {
    float best = INFINITY;
    for (int i = 0; i < n; i++)
      best = fmin(best, x[i]);
    *out = best;
  }
}

__kernel void smallest_of_sizes(__global float *out, __global const float *x, int n) {
  if (get_local_id(0) == 0) {
    float best = INFINITY;
    for (int i = 0; i < n; i++)
      best = minmag(best, x[i]);
    *out = best;
  }
}
