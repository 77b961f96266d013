// A block of 8 threads for each row.
__global__ void row_sums(unsigned *sums, const unsigned *values, int rows, int columns) {
  __shared__ unsigned s[8];
  int t = threadIdx.x, row = blockIdx.x;
  unsigned sum = 0;
  for (int j = t; j < columns; j += 8)
    sum += values[row * columns + j];
  s[t] = sum;
  for (int d = 4; d > 0; d /= 2) {
    __syncthreads();
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    sums[row] = s[0];
}
