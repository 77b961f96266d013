// reference: scans.c:running_maximum
// launch: --block 8 --grid 1 --arg n=8 --arg x=i32[8]:symbolic --arg out=i32[8]
// expect[scan]: equivalent
// expect[scan_of_neighbours]: mismatch
__global__ void scan(int *out, const int *x) {
  __shared__ int s[8];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int d = 1; d < 8; d *= 2) {
    __syncthreads();
    int left = s[t >= d ? t - d : 0];
    __syncthreads();
    s[t] = max(s[t], left);
  }
  out[t] = s[t];
}

__global__ void scan_of_neighbours(int *out, const int *x) {
  int t = threadIdx.x;
  out[t] = max(x[t], x[t > 0 ? t - 1 : 0]);
}
