// reference: level1.c:saxpy
// launch: --block 16 --grid 4 --arg n=50 --arg a=symbolic --arg x=f32[50]:symbolic --arg y=f32[50]:symbolic
// expect[saxpy]: equivalent
// expect[saxpy_strided]: equivalent
// launch[saxpy_strided]: --block 8 --grid 2
// expect[saxpy_fused]: mismatch
// expect[saxpy_tail]: mismatch
__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void saxpy_strided(float *y, const float *x, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = y[i] + x[i] * a;
}

// One rounding instead of two.
__global__ void saxpy_fused(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = fmaf(a, x[i], y[i]);
}

// Four elements a thread, and the rest is forgotten.
__global__ void saxpy_tail(float *y, const float *x, float a, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 4 <= n)
    for (int k = 0; k < 4; k++)
      y[i + k] = a * x[i + k] + y[i + k];
}
