// reference: level1.c:dot
// launch: --block 16 --grid 1 --arg n=29 --arg x=f32[29]:symbolic --arg y=f32[29]:symbolic --arg out=f32[1]
// expect[dot_one_thread]: equivalent
// expect[dot_tree]: equivalent under positive-zero,associative
// expect[dot_first_half]: mismatch under positive-zero,associative
__global__ void dot_one_thread(float *out, const float *x, const float *y, int n) {
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < n; i++)
      sum += x[i] * y[i];
    *out = sum;
  }
}

__global__ void dot_tree(float *out, const float *x, const float *y, int n) {
  __shared__ float s[16];
  unsigned t = threadIdx.x;
  float sum = 0;
  for (int i = t; i < n; i += 16)
    sum += x[i] * y[i];
  s[t] = sum;
  for (unsigned d = 8; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    *out = s[0];
}

// Each thread takes one element, whatever n is.
__global__ void dot_first_half(float *out, const float *x, const float *y, int n) {
  __shared__ float s[16];
  unsigned t = threadIdx.x;
  s[t] = t < n ? x[t] * y[t] : 0;
  for (unsigned d = 8; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    *out = s[0];
}
