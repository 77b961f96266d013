// reference: level23.c:gemm
// launch: --block 4,4 --grid 2,2 --arg n=6 --arg m=5 --arg k=3 --arg a=f32[18]:symbolic --arg b=f32[15]:symbolic --arg c=f32[30]
// expect[gemm]: equivalent
// expect[gemm_wrong_axis]: out-of-bounds
// expect[gemm_starts_late]: mismatch
__kernel void gemm(__global float *c, __global const float *a, __global const float *b, int n, int m, int k) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= m)
    return;
  float sum = 0;
  for (int p = 0; p < k; p++)
    sum += a[i * k + p] * b[p * m + j];
  c[i * m + j] = sum;
}

__kernel void gemm_wrong_axis(__global float *c, __global const float *a, __global const float *b, int n, int m,
                              int k) {
  int i = get_global_id(0), j = get_global_id(1);
  if (i >= n || j >= m)
    return;
  float sum = 0;
  for (int p = 0; p < k; p++)
    sum += a[i * k + p] * b[p * m + j];
  c[i * n + j] = sum;
}

__kernel void gemm_starts_late(__global float *c, __global const float *a, __global const float *b, int n, int m,
                               int k) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= m)
    return;
  float sum = 0;
  for (int p = 1; p < k; p++)
    sum += a[i * k + p] * b[p * m + j];
  c[i * m + j] = sum;
}
