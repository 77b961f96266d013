// Rows are as long as the host makes them: a multiple of 32 that holds the columns. The grid covers them all.
__global__ void scale(float *m, int columns, int rows, int pitch, float by) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows)
    m[y * pitch + x] *= by;
}

// Here a row begins where the last still goes on, whatever its length.
__global__ void smooth(float *m, int columns, int rows, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= pitch && y < rows)
    m[y * pitch + x] = 0.5f * x; //~ data-race
}

void run(float *m, int columns, int rows) {
  int pitch = (columns + 31) / 32 * 32;
  dim3 block(32, 8), grid((pitch + 31) / 32 + 1, (rows + 7) / 8);
  scale<<<grid, block>>>(m, columns, rows, pitch, 2);
  smooth<<<grid, block>>>(m, columns, rows, pitch);
}
