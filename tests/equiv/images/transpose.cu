// reference: images.c:transpose
// launch: --block 4,4 --grid 2,2 --arg rows=6 --arg columns=7 --arg in=f32[42]:symbolic --arg out=f32[42]
// expect[transpose]: equivalent
// expect[transpose_tiled]: equivalent
// expect[transpose_not]: mismatch
// expect[transpose_within_tiles]: mismatch
__global__ void transpose(float *out, const float *in, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns)
    out[j * rows + i] = in[i * columns + j];
}

__global__ void transpose_tiled(float *out, const float *in, int rows, int columns) {
  __shared__ float tile[4][5];
  int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 4 + x, i = blockIdx.y * 4 + y;
  if (i < rows && j < columns)
    tile[y][x] = in[i * columns + j];
  __syncthreads();
  i = blockIdx.y * 4 + x, j = blockIdx.x * 4 + y;
  if (i < rows && j < columns)
    out[j * rows + i] = tile[x][y];
}

// The output has rows of the input's length.
__global__ void transpose_not(float *out, const float *in, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns)
    out[i * columns + j] = in[(i * columns + j) % rows * columns + (i * columns + j) % columns];
}

// Each tile is transposed, but stays in its place.
__global__ void transpose_within_tiles(float *out, const float *in, int rows, int columns) {
  __shared__ float tile[4][5];
  int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * 4 + x, i = blockIdx.y * 4 + y;
  tile[y][x] = i < rows && j < columns ? in[i * columns + j] : 0;
  __syncthreads();
  if (i < rows && j < columns)
    out[i * columns + j] = tile[x][y];
}
