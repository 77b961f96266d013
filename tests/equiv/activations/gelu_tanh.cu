// reference: pointwise.c:gelu_tanh
// launch: --block 8 --grid 2 --arg n=15 --arg x=f32[15]:symbolic --arg out=f32[15]
// expect[gelu]: equivalent
// expect[gelu_cube_first]: equivalent under associative
// expect[gelu_without_half]: mismatch
__global__ void gelu(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    out[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
}

__global__ void gelu_cube_first(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i], cube = v * v * v;
    out[i] = 0.5f * (v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * cube))));
  }
}

__global__ void gelu_without_half(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    out[i] = v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
  }
}
