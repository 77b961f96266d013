// reference: images.c:heat
// launch: --block 3,3,1 --grid 1,1,3 --arg n=3 --arg k=symbolic --arg in=f32[27]:symbolic --arg out=f32[27]
// expect[heat]: equivalent
// expect[heat_periodic]: mismatch
__kernel void heat(__global float *out, __global const float *in, float k, int n) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * n + y) * n + x;
  float own = in[i], sum = -6 * own;
  sum += in[i - (x > 0)];
  sum += in[i + (x < n - 1)];
  sum += in[i - (y > 0 ? n : 0)];
  sum += in[i + (y < n - 1 ? n : 0)];
  sum += in[i - (z > 0 ? n * n : 0)];
  sum += in[i + (z < n - 1 ? n * n : 0)];
  out[i] = own + k * sum;
}

// The neighbours of the border are on the other side.
__kernel void heat_periodic(__global float *out, __global const float *in, float k, int n) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * n + y) * n + x;
  float own = in[i], sum = -6 * own;
  sum += in[(z * n + y) * n + (x + n - 1) % n];
  sum += in[(z * n + y) * n + (x + 1) % n];
  sum += in[(z * n + (y + n - 1) % n) * n + x];
  sum += in[(z * n + (y + 1) % n) * n + x];
  sum += in[((z + n - 1) % n * n + y) * n + x];
  sum += in[((z + 1) % n * n + y) * n + x];
  out[i] = own + k * sum;
}
