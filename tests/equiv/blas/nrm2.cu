// reference: level1.c:nrm2
// launch: --block 32 --grid 1 --arg n=32 --arg x=f32[32]:symbolic --arg out=f32[1]
// expect[nrm2]: equivalent under positive-zero,associative
// expect[nrm2_without_root]: mismatch under positive-zero,associative
__global__ void nrm2(float *out, const float *x) {
  float sum = x[threadIdx.x] * x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x == 0)
    *out = sqrtf(sum);
}

__global__ void nrm2_without_root(float *out, const float *x) {
  float sum = x[threadIdx.x] * x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x == 0)
    *out = sum;
}
