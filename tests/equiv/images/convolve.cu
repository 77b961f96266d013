// reference: images.c:convolve
// launch: --block 8 --grid 2 --arg n=14 --arg radius=2 --arg taps=f32[5]:symbolic --arg in=f32[14]:symbolic --arg out=f32[14]
// expect[convolve]: equivalent
// expect[convolve_padded]: equivalent under positive-zero,finite
// expect[convolve_reversed]: mismatch
__global__ void convolve(float *out, const float *in, const float *taps, int n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = max(i - radius, 0); j <= min(i + radius, n - 1); j++)
    sum += in[j] * taps[j - i + radius];
  out[i] = sum;
}

// Zeros around the array, which are multiplied and added.
__global__ void convolve_padded(float *out, const float *in, const float *taps, int n, int radius) {
  __shared__ float s[12];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int k = t; k < 12; k += 8) {
    int j = blockIdx.x * blockDim.x + k - radius;
    s[k] = j >= 0 && j < n ? in[j] : 0;
  }
  __syncthreads();
  if (i < n) {
    float sum = 0;
    for (int k = 0; k <= 2 * radius; k++)
      sum += taps[k] * s[t + k];
    out[i] = sum;
  }
}

// A correlation is no convolution, unless the taps are symmetric.
__global__ void convolve_reversed(float *out, const float *in, const float *taps, int n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = max(i - radius, 0); j <= min(i + radius, n - 1); j++)
    sum += in[j] * taps[i - j + radius];
  out[i] = sum;
}
