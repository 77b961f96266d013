// reference: arr_sqrt.c:arr_sqrt
// launch: --block 16 --grid 4 --arg size=64 --arg in=f32[64]:symbolic --arg out=f32[64]
// expect[arr_sqrt_kern]: equivalent
// expect[of_absolute_values]: mismatch
__kernel void arr_sqrt_kern(__global float *out, __global const float *in) {
  size_t i = get_global_id(0);
  out[i] = sqrt(in[i]);
}

// A NaN for negative numbers is part of the answer.
__kernel void of_absolute_values(__global float *out, __global const float *in) {
  size_t i = get_global_id(0);
  out[i] = sqrt(fabs(in[i]));
}
