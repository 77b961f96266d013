// Kernels of the scripts beside it.
__global__ void scale(int *y, const int *x, int a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i];
}

__global__ void add_flags(int *y, const int *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && flags[i] > 0)
    y[i] += 1;
}

// Needs the other array only where a flag is set.
__global__ void add_other(int *y, const int *flags, const int *other, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && flags[i] > 77)
    y[i] += other[i];
}

__global__ void largest(float *out, const float *x, int n) {
  float m = x[threadIdx.x];
  for (int i = threadIdx.x + blockDim.x; i < n; i += blockDim.x)
    m = fmaxf(m, x[i]);
  for (int d = blockDim.x / 2; d > 0; d /= 2)
    m = fmaxf(m, __shfl_xor_sync((1u << blockDim.x) - 1, m, d));
  if (threadIdx.x == 0)
    *out = m;
}

__global__ void sum_of_exponentials(float *out, const float *x, const float *m, int n) {
  float own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    own += expf(x[i] - *m);
  atomicAdd(out, own);
}

__global__ void shares(float *out, const float *x, const float *m, const float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = expf(x[i] - *m) / *sum;
}

__global__ void count_digits(unsigned *counts, const unsigned *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&counts[x[i] & 3], 1);
}

__global__ void starts_of_digits(unsigned *starts, const unsigned *counts) {
  unsigned sum = 0;
  for (unsigned d = 0; d < threadIdx.x; d++)
    sum += counts[d];
  starts[threadIdx.x] = sum;
}
