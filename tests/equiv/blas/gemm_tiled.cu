// reference: level23.c:gemm
// launch: --block 4,4 --grid 2,2 --arg n=8 --arg m=8 --arg k=6 --arg a=f32[48]:symbolic --arg b=f32[48]:symbolic --arg c=f32[64]
// expect[tiled]: equivalent under positive-zero,finite
// expect[tiled_guarded]: equivalent
// expect[tiled_drops_the_last_tile]: mismatch under positive-zero,finite
// expect[tiled_without_barrier]: data-race
const int T = 4;

// What lies outside is zero, and is multiplied and added.
__global__ void tiled(float *c, const float *a, const float *b, int n, int m, int k) {
  __shared__ float s[T][T], t[T][T];
  int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * T + x, i = blockIdx.y * T + y;
  float sum = 0;
  for (int p = 0; p < k; p += T) {
    s[y][x] = i < n && p + x < k ? a[i * k + p + x] : 0;
    t[y][x] = j < m && p + y < k ? b[(p + y) * m + j] : 0;
    __syncthreads();
    for (int q = 0; q < T; q++)
      sum += s[y][q] * t[q][x];
    __syncthreads();
  }
  if (i < n && j < m)
    c[i * m + j] = sum;
}

__global__ void tiled_guarded(float *c, const float *a, const float *b, int n, int m, int k) {
  __shared__ float s[T][T], t[T][T];
  int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * T + x, i = blockIdx.y * T + y;
  float sum = 0;
  for (int p = 0; p < k; p += T) {
    s[y][x] = i < n && p + x < k ? a[i * k + p + x] : 0;
    t[y][x] = j < m && p + y < k ? b[(p + y) * m + j] : 0;
    __syncthreads();
    for (int q = 0; q < T && p + q < k; q++)
      sum += s[y][q] * t[q][x];
    __syncthreads();
  }
  if (i < n && j < m)
    c[i * m + j] = sum;
}

__global__ void tiled_drops_the_last_tile(float *c, const float *a, const float *b, int n, int m, int k) {
  __shared__ float s[T][T], t[T][T];
  int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * T + x, i = blockIdx.y * T + y;
  float sum = 0;
  for (int p = 0; p < k / T * T; p += T) {
    s[y][x] = a[i * k + p + x];
    t[y][x] = b[(p + y) * m + j];
    __syncthreads();
    for (int q = 0; q < T; q++)
      sum += s[y][q] * t[q][x];
    __syncthreads();
  }
  if (i < n && j < m)
    c[i * m + j] = sum;
}

// The next tile is loaded while some threads still read this one.
__global__ void tiled_without_barrier(float *c, const float *a, const float *b, int n, int m, int k) {
  __shared__ float s[T][T], t[T][T];
  int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * T + x, i = blockIdx.y * T + y;
  float sum = 0;
  for (int p = 0; p < k; p += T) {
    s[y][x] = i < n && p + x < k ? a[i * k + p + x] : 0;
    t[y][x] = j < m && p + y < k ? b[(p + y) * m + j] : 0;
    __syncthreads();
    for (int q = 0; q < T && p + q < k; q++)
      sum += s[y][q] * t[q][x];
  }
  if (i < n && j < m)
    c[i * m + j] = sum;
}
