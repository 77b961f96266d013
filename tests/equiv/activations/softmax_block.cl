// A group for each row.
//
// reference: norms.c:softmax
// launch: --block 8 --grid 2 --arg rows=2 --arg columns=8 --arg x=f32[16]:symbolic --arg out=f32[16]
// expect[softmax]: equivalent under positive-zero,finite,associative
// expect[softmax_without_largest]: mismatch under positive-zero,finite,associative
__kernel void softmax(__global float *out, __global const float *x) {
  __local float s[8];
  int t = get_local_id(0);
  float v = x[get_global_id(0)];
  s[t] = v;
  for (int d = 4; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] = fmax(s[t], s[t + d]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float e = exp(v - s[0]);
  barrier(CLK_LOCAL_MEM_FENCE);
  s[t] = e;
  for (int d = 4; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] += s[t + d];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = e / s[0];
}

// The largest element is taken for an unused one, and left out of the sum.
__kernel void softmax_without_largest(__global float *out, __global const float *x) {
  __local float s[8];
  int t = get_local_id(0);
  float v = x[get_global_id(0)];
  s[t] = v;
  for (int d = 4; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] = fmax(s[t], s[t + d]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float e = exp(v - s[0]);
  barrier(CLK_LOCAL_MEM_FENCE);
  s[t] = e == 1 ? 0 : e;
  for (int d = 4; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] += s[t + d];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = e / s[0];
}
