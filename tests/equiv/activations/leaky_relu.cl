// reference: pointwise.c:leaky_relu
// launch: --block 8 --grid 2 --arg n=16 --arg slope=symbolic --arg x=f32[16]:symbolic --arg out=f32[16]
// expect[leaky_relu]: equivalent
// expect[leaky_relu_max]: mismatch
__kernel void leaky_relu(__global float *out, __global const float *x, float slope) {
  int i = get_global_id(0);
  float v = x[i];
  out[i] = select(v, v * slope, v < 0);
}

// Right for slopes between 0 and 1 only.
__kernel void leaky_relu_max(__global float *out, __global const float *x, float slope) {
  int i = get_global_id(0);
  out[i] = fmax(x[i], slope * x[i]);
}
