// reference: pointwise.c:gelu
// launch: --block 8 --grid 2 --arg n=16 --arg x=f32[16]:symbolic --arg out=f32[16]
// expect[gelu]: equivalent
// expect[gelu_of_negative]: mismatch
// expect[gelu_by_tanh]: close 1e-2
__kernel void gelu(__global float *out, __global const float *x) {
  int i = get_global_id(0);
  out[i] = 0.5f * x[i] * (erf(x[i] * 0.70710678f) + 1.0f);
}

__kernel void gelu_of_negative(__global float *out, __global const float *x) {
  int i = get_global_id(0);
  out[i] = 0.5f * x[i] * (1.0f - erf(x[i] * 0.70710678f));
}

__kernel void gelu_by_tanh(__global float *out, __global const float *x) {
  int i = get_global_id(0);
  float v = x[i];
  out[i] = 0.5f * v * (1.0f + tanh(0.7978845608f * (v + 0.044715f * v * v * v)));
}
