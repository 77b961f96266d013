// reference: level1.c:iamax
// launch: --block 4 --grid 1 --arg n=4 --arg x=i32[4]:symbolic --arg out=i32[1]
// expect[iamax]: equivalent
// expect[iamax_last]: mismatch
__global__ void iamax(int *out, const int *x) {
  __shared__ int best[4];
  int t = threadIdx.x;
  best[t] = t;
  for (int d = 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) {
      int a = best[t], b = best[t + d];
      if (x[b] > x[a] || (x[b] == x[a] && b < a))
        best[t] = b;
    }
  }
  if (t == 0)
    *out = best[0];
}

// Of several that are equal, not the first.
__global__ void iamax_last(int *out, const int *x) {
  __shared__ int best[4];
  int t = threadIdx.x;
  best[t] = t;
  for (int d = 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d && x[best[t + d]] >= x[best[t]])
      best[t] = best[t + d];
  }
  if (t == 0)
    *out = best[0];
}
