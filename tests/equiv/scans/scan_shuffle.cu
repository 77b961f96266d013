// reference: scans.c:inclusive_floats
// launch: --block 32 --grid 1 --arg n=32 --arg x=f32[32]:symbolic --arg out=f32[32]
// expect[scan]: equivalent under positive-zero,associative
// expect[scan_adds_itself]: mismatch under positive-zero,associative
__global__ void scan(float *out, const float *x) {
  float v = x[threadIdx.x];
  for (int d = 1; d < 32; d *= 2) {
    float left = __shfl_up_sync(~0u, v, d);
    if (threadIdx.x >= d)
      v += left;
  }
  out[threadIdx.x] = v;
}

// The lanes without a left neighbour get their own value back.
__global__ void scan_adds_itself(float *out, const float *x) {
  float v = x[threadIdx.x];
  for (int d = 1; d < 32; d *= 2)
    v += __shfl_up_sync(~0u, v, d);
  out[threadIdx.x] = v;
}
