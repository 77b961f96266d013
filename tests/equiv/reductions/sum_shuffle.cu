// reference: reductions.c:sum
// launch: --block 64 --grid 1 --arg n=64 --arg x=i32[64]:symbolic --arg out=i32[1]
// expect[sum]: equivalent
// expect[sum_one_warp]: mismatch
__global__ void sum(int *out, const int *x) {
  __shared__ int s[2];
  int t = threadIdx.x, v = x[t];
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(~0u, v, d);
  if (t % 32 == 0)
    s[t / 32] = v;
  __syncthreads();
  if (t == 0)
    *out = s[0] + s[1];
}

// Only what the first warp has added.
__global__ void sum_one_warp(int *out, const int *x) {
  int t = threadIdx.x, v = x[t];
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(~0u, v, d);
  if (t == 0)
    *out = v;
}
