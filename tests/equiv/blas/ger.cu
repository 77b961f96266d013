// reference: level23.c:ger
// launch: --block 4,4 --grid 2,2 --arg rows=5 --arg columns=7 --arg alpha=symbolic --arg a=f32[35]:symbolic --arg x=f32[5]:symbolic --arg y=f32[7]:symbolic
// expect[ger]: equivalent
// expect[ger_reordered]: equivalent under associative
// expect[ger_without_scale]: mismatch under associative
__global__ void ger(float *a, const float *x, const float *y, float alpha, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns)
    a[i * columns + j] += alpha * x[i] * y[j];
}

__global__ void ger_reordered(float *a, const float *x, const float *y, float alpha, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns)
    a[i * columns + j] += alpha * (x[i] * y[j]);
}

__global__ void ger_without_scale(float *a, const float *x, const float *y, float alpha, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns)
    a[i * columns + j] += x[i] * y[j];
}
