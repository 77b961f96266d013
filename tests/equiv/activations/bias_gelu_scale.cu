// Three kernels fused into one.
//
// reference: pointwise.c:bias_gelu_scale
// launch: --block 8 --grid 3 --arg rows=4 --arg columns=5 --arg scale=symbolic --arg x=f32[20]:symbolic --arg bias=f32[5]:symbolic --arg out=f32[20]
// expect[fused]: equivalent
// expect[fused_wrong_axis]: mismatch
__global__ void fused(float *out, const float *x, const float *bias, float scale, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) {
    float v = x[i] + bias[i % columns];
    out[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f)) * scale;
  }
}

// The bias of the row.
__global__ void fused_wrong_axis(float *out, const float *x, const float *bias, float scale, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) {
    float v = x[i] + bias[i / columns];
    out[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f)) * scale;
  }
}
