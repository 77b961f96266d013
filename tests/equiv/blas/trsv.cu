// One block; each step makes one element final and takes it off those below.
//
// reference: level23.c:trsv
// launch: --block 4 --grid 1 --arg n=4 --arg a=f32[16]:symbolic --arg b=f32[4]:symbolic --arg x=f32[4]
// expect[trsv]: equivalent
// expect[trsv_unit]: mismatch
__global__ void trsv(float *x, const float *a, const float *b, int n) {
  __shared__ float done;
  int i = threadIdx.x;
  float sum = b[i];
  for (int k = 0; k < n; k++) {
    if (i == k)
      x[k] = done = sum / a[k * n + k];
    __syncthreads();
    if (i > k)
      sum -= a[i * n + k] * done;
    __syncthreads();
  }
}

// As if the diagonal were all ones.
__global__ void trsv_unit(float *x, const float *a, const float *b, int n) {
  __shared__ float done;
  int i = threadIdx.x;
  float sum = b[i];
  for (int k = 0; k < n; k++) {
    if (i == k)
      x[k] = done = sum;
    __syncthreads();
    if (i > k)
      sum -= a[i * n + k] * done;
    __syncthreads();
  }
}
