// A thread for each byte.
//
// reference: data.c:dequantise
// launch: --block 8 --grid 1 --arg n=16 --arg group=4 --arg packed=u8[8]:symbolic --arg scales=f32[4]:symbolic --arg out=f32[16]
// expect[dequantise]: equivalent
// expect[dequantise_order]: mismatch
// expect[dequantise_group]: mismatch
__kernel void dequantise(__global float *out, __global const uchar *packed, __global const float *scales, int group) {
  int i = get_global_id(0);
  float scale = scales[2 * i / group];
  out[2 * i] = ((packed[i] & 15) - 8) * scale;
  out[2 * i + 1] = ((packed[i] >> 4) - 8) * scale;
}

// The upper half first.
__kernel void dequantise_order(__global float *out, __global const uchar *packed, __global const float *scales,
                               int group) {
  int i = get_global_id(0);
  float scale = scales[2 * i / group];
  out[2 * i] = ((packed[i] >> 4) - 8) * scale;
  out[2 * i + 1] = ((packed[i] & 15) - 8) * scale;
}

// Groups of bytes, not of values.
__kernel void dequantise_group(__global float *out, __global const uchar *packed, __global const float *scales,
                               int group) {
  int i = get_global_id(0);
  float scale = scales[i / group];
  out[2 * i] = ((packed[i] & 15) - 8) * scale;
  out[2 * i + 1] = ((packed[i] >> 4) - 8) * scale;
}
