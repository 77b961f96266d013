// reference: scans.c:exclusive
// launch: --block 8 --grid 1 --arg n=16 --arg x=i32[16]:symbolic --arg out=i32[16]
// expect[scan]: equivalent
// expect[scan_inclusive]: mismatch
__global__ void scan(int *out, const int *x) {
  __shared__ int s[16];
  int t = threadIdx.x, step = 1;
  s[2 * t] = x[2 * t], s[2 * t + 1] = x[2 * t + 1];
  for (int d = 8; d > 0; d /= 2, step *= 2) {
    __syncthreads();
    if (t < d)
      s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
  }
  if (t == 0)
    s[15] = 0;
  for (int d = 1; d < 16; d *= 2) {
    step /= 2;
    __syncthreads();
    if (t < d) {
      int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, left = s[a];
      s[a] = s[b];
      s[b] += left;
    }
  }
  __syncthreads();
  out[2 * t] = s[2 * t], out[2 * t + 1] = s[2 * t + 1];
}

// The root is not cleared before the way down.
__global__ void scan_inclusive(int *out, const int *x) {
  __shared__ int s[16];
  int t = threadIdx.x, step = 1;
  s[2 * t] = x[2 * t], s[2 * t + 1] = x[2 * t + 1];
  for (int d = 8; d > 0; d /= 2, step *= 2) {
    __syncthreads();
    if (t < d)
      s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
  }
  for (int d = 1; d < 16; d *= 2) {
    step /= 2;
    __syncthreads();
    if (t < d) {
      int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1, left = s[a];
      s[a] = s[b];
      s[b] += left;
    }
  }
  __syncthreads();
  out[2 * t] = s[2 * t], out[2 * t + 1] = s[2 * t + 1];
}
