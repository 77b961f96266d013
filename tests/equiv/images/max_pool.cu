// reference: images.c:max_pool
// launch: --block 4,2 --grid 1,1 --arg width=7 --arg height=5 --arg in=f32[35]:symbolic --arg out=f32[6]
// expect[max_pool]: equivalent
// expect[max_pool_width]: mismatch
__global__ void max_pool(float *out, const float *in, int width, int height) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x >= width / 2 || y >= height / 2)
    return;
  int i = 2 * y * width + 2 * x;
  float a = in[i] > in[i + 1] ? in[i] : in[i + 1];
  float b = in[i + width] > in[i + width + 1] ? in[i + width] : in[i + width + 1];
  out[y * (width / 2) + x] = a > b ? a : b;
}

// Rows of an even length.
__global__ void max_pool_width(float *out, const float *in, int width, int height) {
  int x = threadIdx.x, y = threadIdx.y, even = width / 2 * 2;
  if (x >= width / 2 || y >= height / 2)
    return;
  int i = 2 * y * even + 2 * x;
  float a = in[i] > in[i + 1] ? in[i] : in[i + 1];
  float b = in[i + even] > in[i + even + 1] ? in[i + even] : in[i + even + 1];
  out[y * (width / 2) + x] = a > b ? a : b;
}
