// reference: reductions.c:largest
// launch: --block 8 --grid 1 --arg n=6 --arg x=i32[6]:symbolic --arg out=i32[1]
// expect[largest]: equivalent
// expect[largest_identity]: mismatch
// expect[largest_unsigned]: mismatch
#include <limits.h>

__global__ void largest(int *out, const int *x, int n) {
  __shared__ int s[8];
  int t = threadIdx.x;
  s[t] = t < n ? x[t] : INT_MIN;
  for (int d = 4; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] = max(s[t], s[t + d]);
  }
  if (t == 0)
    *out = s[0];
}

// Zero is not the smallest number.
__global__ void largest_identity(int *out, const int *x, int n) {
  __shared__ int s[8];
  int t = threadIdx.x;
  s[t] = t < n ? x[t] : 0;
  for (int d = 4; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] = max(s[t], s[t + d]);
  }
  if (t == 0)
    *out = s[0];
}

__global__ void largest_unsigned(int *out, const int *x, int n) {
  __shared__ unsigned s[8];
  int t = threadIdx.x;
  s[t] = t < n ? x[t] : INT_MIN;
  for (int d = 4; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] = max(s[t], s[t + d]);
  }
  if (t == 0)
    *out = s[0];
}
