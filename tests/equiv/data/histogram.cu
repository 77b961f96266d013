// reference: data.c:histogram
// launch: --block 8 --grid 2 --arg n=12 --arg x=u8[12]:symbolic --arg bins=i32[8]:zeros
// expect[histogram]: equivalent
// expect[histogram_shared]: equivalent
// expect[histogram_signed]: out-of-bounds
// expect[histogram_bins]: mismatch
// expect[histogram_plain]: data-race
__global__ void histogram(int *bins, const unsigned char *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[x[i] / 32], 1);
}

__global__ void histogram_shared(int *bins, const unsigned char *x, int n) {
  __shared__ int s[8];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&s[x[i] >> 5], 1);
  __syncthreads();
  atomicAdd(&bins[t], s[t]);
}

// Bytes above 127 have negative bins.
__global__ void histogram_signed(int *bins, const signed char *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[x[i] >> 5], 1);
}

__global__ void histogram_bins(int *bins, const unsigned char *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[x[i] & 7], 1);
}

__global__ void histogram_plain(int *bins, const unsigned char *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bins[x[i] >> 5]++;
}
