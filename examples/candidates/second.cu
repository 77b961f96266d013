// A block of 8 threads for each row. Right on many devices, but nothing orders the additions.
__global__ void row_sums(unsigned *sums, const unsigned *values, int rows, int columns) {
  __shared__ unsigned s[8];
  int t = threadIdx.x, row = blockIdx.x;
  unsigned sum = 0;
  for (int j = t; j < columns; j += 8)
    sum += values[row * columns + j];
  s[t] = sum;
  __syncthreads();
  for (int d = 4; d > 0; d /= 2)
    if (t < d)
      s[t] += s[t + d];
  if (t == 0)
    sums[row] = s[0];
}
