// A block of 8 threads for each row. Rows whose length is no multiple of 8 lose their tail.
__global__ void row_sums(unsigned *sums, const unsigned *values, int rows, int columns) {
  __shared__ unsigned s[8];
  int t = threadIdx.x, row = blockIdx.x;
  unsigned sum = 0;
  for (int j = 0; j < columns / 8; j++)
    sum += values[row * columns + 8 * j + t];
  s[t] = sum;
  for (int d = 4; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    sums[row] = s[0];
}
