// reference: level1.c:iamax
// launch: --block 8 --grid 1 --arg n=8 --arg x=i32[8]:symbolic --arg out=i32[1]
// expect[iamax]: equivalent
// expect[iamax_last]: mismatch
__global__ void iamax(int *out, const int *x) {
  __shared__ int best[8];
  int t = threadIdx.x;
  best[t] = t;
  for (int d = 4; d > 0; d /= 2) {
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
  __shared__ int best[8];
  int t = threadIdx.x;
  best[t] = t;
  for (int d = 4; d > 0; d /= 2) {
    __syncthreads();
    if (t < d && x[best[t + d]] >= x[best[t]])
      best[t] = best[t + d];
  }
  if (t == 0)
    *out = best[0];
}
