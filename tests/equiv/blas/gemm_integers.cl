// Sums of integers in any order, without an assumption: k is split in two halves.
//
// reference: level23.c:gemm_integers
// launch: --block 4,4 --grid 1,1 --arg n=4 --arg a=i32[16]:symbolic --arg b=i32[16]:symbolic --arg c=i32[16]
// expect[halves]: equivalent
// expect[halves_narrow]: mismatch
__kernel void halves(__global int *c, __global const int *a, __global const int *b, int n) {
  int j = get_global_id(0), i = get_global_id(1), low = 0, high = 0;
  for (int p = 0; p < n / 2; p++) {
    low += a[i * n + p] * b[p * n + j];
    high += a[i * n + n - 1 - p] * b[(n - 1 - p) * n + j];
  }
  c[i * n + j] = high + low;
}

// Products of 24 bits.
__kernel void halves_narrow(__global int *c, __global const int *a, __global const int *b, int n) {
  int j = get_global_id(0), i = get_global_id(1), low = 0, high = 0;
  for (int p = 0; p < n / 2; p++) {
    low += mul24(a[i * n + p], b[p * n + j]);
    high += mul24(a[i * n + n - 1 - p], b[(n - 1 - p) * n + j]);
  }
  c[i * n + j] = high + low;
}
