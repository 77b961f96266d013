// reference: images.c:three_point
// launch: --block 8 --grid 2 --arg n=16 --arg in=f32[16]:symbolic --arg out=f32[16]
// expect[stencil]: equivalent
// expect[stencil_tiled]: equivalent
// expect[stencil_without_halo]: mismatch
// expect[stencil_race]: data-race
__kernel void stencil(__global float *out, __global const float *in, int n) {
  int i = get_global_id(0);
  out[i] = i == 0 || i == n - 1 ? in[i] : 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

__kernel void stencil_tiled(__global float *out, __global const float *in, int n) {
  __local float s[10];
  int t = get_local_id(0), i = get_global_id(0);
  s[t + 1] = in[i];
  if (t == 0 && i > 0)
    s[0] = in[i - 1];
  if (t == 7 && i < n - 1)
    s[9] = in[i + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = i == 0 || i == n - 1 ? s[t + 1] : 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}

// At the edges of a tile the neighbour is taken from within.
__kernel void stencil_without_halo(__global float *out, __global const float *in, int n) {
  __local float s[8];
  int t = get_local_id(0), i = get_global_id(0);
  s[t] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = i == 0 || i == n - 1 ? s[t] : 0.25f * s[max(t - 1, 0)] + 0.5f * s[t] + 0.25f * s[min(t + 1, 7)];
}

__kernel void stencil_race(__global float *out, __global const float *in, int n) {
  __local float s[10];
  int t = get_local_id(0), i = get_global_id(0);
  s[t + 1] = in[i];
  if (t == 0)
    s[0] = in[max(i - 1, 0)];
  if (t == 7)
    s[9] = in[min(i + 1, n - 1)];
  out[i] = i == 0 || i == n - 1 ? s[t + 1] : 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}
