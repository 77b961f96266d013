// A warp for each row: its lanes add squares, and hand the sum round.
//
// reference: norms.c:rms_norm
// launch: --block 32 --grid 2 --arg rows=2 --arg columns=32 --arg epsilon=0.00001 --arg x=f32[64]:symbolic --arg weight=f32[32]:symbolic --arg out=f32[64]
// expect[rms_norm]: equivalent under positive-zero,associative
// expect[rms_norm_half]: mismatch under positive-zero,associative
__global__ void rms_norm(float *out, const float *x, const float *weight, float epsilon, int columns) {
  int j = threadIdx.x, i = blockIdx.x * columns + j;
  float sum = x[i] * x[i];
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  out[i] = x[i] * (1.0f / sqrtf(sum / columns + epsilon)) * weight[j];
}

// The exchange stops one step early.
__global__ void rms_norm_half(float *out, const float *x, const float *weight, float epsilon, int columns) {
  int j = threadIdx.x, i = blockIdx.x * columns + j;
  float sum = x[i] * x[i];
  for (int d = 16; d > 1; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  out[i] = x[i] * (1.0f / sqrtf(sum / columns + epsilon)) * weight[j];
}
