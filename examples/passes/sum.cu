// Each block sums a part, of at most twice its size.
__global__ void sum_of_blocks(int *sums, const int *values, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x, i = 2 * blockIdx.x * blockDim.x + t;
  s[t] = (i < n ? values[i] : 0) + (i + blockDim.x < n ? values[i + blockDim.x] : 0);
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    sums[blockIdx.x] = s[0];
}
