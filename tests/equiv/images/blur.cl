// reference: images.c:blur
// launch: --block 4,4 --grid 1,1 --arg width=4 --arg height=4 --arg in=f32[16]:symbolic --arg out=f32[16]
// expect[blur]: equivalent
// expect[blur_weights]: mismatch
__constant float weight[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

__kernel void blur(__global float *out, __global const float *in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < 9; k++) {
    int sx = clamp(x + k % 3 - 1, 0, width - 1), sy = clamp(y + k / 3 - 1, 0, height - 1);
    sum += weight[k] * in[sy * width + sx];
  }
  out[y * width + x] = sum / 16;
}

// The weights of the border are left out of the sum, but not of the divisor.
__kernel void blur_weights(__global float *out, __global const float *in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < 9; k++) {
    int sx = x + k % 3 - 1, sy = y + k / 3 - 1;
    if (sx >= 0 && sy >= 0 && sx < width && sy < height)
      sum += weight[k] * in[sy * width + sx];
  }
  out[y * width + x] = sum / 16;
}
