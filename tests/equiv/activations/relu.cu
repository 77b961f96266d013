// reference: pointwise.c:relu
// launch: --block 16 --grid 2 --arg n=31 --arg x=f32[31]:symbolic --arg out=f32[31]
// expect[relu]: equivalent
// expect[relu_product]: mismatch
// expect[relu_product]: equivalent under positive-zero,finite
// expect[relu_of_size]: mismatch
__global__ void relu(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 0 < x[i] ? x[i] : 0;
}

// A NaN becomes zero in the reference; here it stays one, and so does an infinity times zero.
__global__ void relu_product(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i] * (x[i] > 0 ? 1.0f : 0.0f);
}

// One element too few.
__global__ void relu_of_size(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1)
    out[i] = 0 < x[i] ? x[i] : 0;
}
