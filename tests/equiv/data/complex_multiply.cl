// reference: data.c:complex_multiply
// launch: --block 4 --grid 2 --arg n=8 --arg a=f32[16]:symbolic --arg b=f32[16]:symbolic --arg out=f32[16]
// expect[multiply]: equivalent
// expect[multiply_three_products]: mismatch by rounding
// expect[multiply_conjugate]: mismatch
__kernel void multiply(__global float2 *out, __global const float2 *a, __global const float2 *b) {
  int i = get_global_id(0);
  float2 p = a[i], q = b[i];
  out[i] = (float2)(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}

__kernel void multiply_three_products(__global float2 *out, __global const float2 *a, __global const float2 *b) {
  int i = get_global_id(0);
  float2 p = a[i], q = b[i];
  float k = q.x * (p.x + p.y);
  out[i] = (float2)(k - p.y * (q.x + q.y), k + p.x * (q.y - q.x));
}

__kernel void multiply_conjugate(__global float2 *out, __global const float2 *a, __global const float2 *b) {
  int i = get_global_id(0);
  float2 p = a[i], q = b[i];
  out[i] = (float2)(p.x * q.x + p.y * q.y, p.y * q.x - p.x * q.y);
}
