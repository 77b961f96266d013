// reference: reductions.c:column_sums
// launch: --block 8 --grid 1 --arg rows=5 --arg columns=6 --arg x=f32[30]:symbolic --arg out=f32[6]
// expect[column_sums]: equivalent
// expect[column_sums_up]: equivalent under positive-zero,associative
// expect[column_sums_of_rows]: mismatch under positive-zero,associative
__global__ void column_sums(float *out, const float *x, int rows, int columns) {
  int j = threadIdx.x;
  if (j < columns) {
    float sum = 0;
    for (int i = 0; i < rows; i++)
      sum += x[i * columns + j];
    out[j] = sum;
  }
}

// From the last row up.
__global__ void column_sums_up(float *out, const float *x, int rows, int columns) {
  int j = threadIdx.x;
  if (j < columns) {
    float sum = 0;
    for (int i = rows - 1; i >= 0; i--)
      sum += x[i * columns + j];
    out[j] = sum;
  }
}

__global__ void column_sums_of_rows(float *out, const float *x, int rows, int columns) {
  int j = threadIdx.x;
  if (j < columns) {
    float sum = 0;
    for (int i = 0; i < rows; i++)
      sum += x[j * rows + i];
    out[j] = sum;
  }
}
