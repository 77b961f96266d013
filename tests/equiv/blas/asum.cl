// reference: level1.c:asum
// launch: --block 8 --grid 1 --arg n=16 --arg x=f32[16]:symbolic --arg out=f32[1]
// expect[asum]: equivalent under positive-zero,associative
// expect[asum_signed]: mismatch under positive-zero,associative
__kernel void asum(__global float *out, __global const float *x, int n) {
  __local float s[8];
  int t = get_local_id(0);
  s[t] = fabs(x[t]) + fabs(x[t + 8]);
  for (int d = 4; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    *out = s[0];
}

// The absolute value of pairs.
__kernel void asum_signed(__global float *out, __global const float *x, int n) {
  __local float s[8];
  int t = get_local_id(0);
  s[t] = fabs(x[t] + x[t + 8]);
  for (int d = 4; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    *out = s[0];
}
