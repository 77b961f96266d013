// reference: images.c:jacobi
// launch: --block 4,4 --grid 2,2 --arg width=8 --arg height=6 --arg in=f32[48]:symbolic --arg out=f32[48]:symbolic
// expect[jacobi]: equivalent
// expect[jacobi_reordered]: equivalent under associative
// expect[jacobi_bounds]: mismatch
__global__ void jacobi(float *out, const float *in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    out[i] = (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]) * 0.25f;
}

__global__ void jacobi_reordered(float *out, const float *in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    out[i] = ((in[i - width] + in[i - 1]) + (in[i + 1] + in[i + width])) * 0.25f;
}

// As if the grid were a square: what lies to the right is left out.
__global__ void jacobi_bounds(float *out, const float *in, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
  if (x > 0 && y > 0 && x < height - 1 && y < height - 1)
    out[i] = (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]) * 0.25f;
}
