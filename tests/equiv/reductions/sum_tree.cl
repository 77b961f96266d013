// reference: reductions.c:sum
// launch: --block 16 --grid 1 --arg n=27 --arg x=i32[27]:symbolic --arg out=i32[1] --arg s=i32[16]
// expect[sum]: equivalent
// expect[sum_interleaved]: equivalent
// expect[sum_odd]: mismatch
// expect[sum_race]: data-race
__kernel void sum(__global int *out, __global const int *x, int n, __local int *s) {
  int t = get_local_id(0), own = 0;
  for (int i = t; i < n; i += get_local_size(0))
    own += x[i];
  s[t] = own;
  for (int d = get_local_size(0) / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    *out = s[0];
}

// Neighbours first, and neighbouring elements for each thread.
__kernel void sum_interleaved(__global int *out, __global const int *x, int n, __local int *s) {
  int t = get_local_id(0), own = 0;
  for (int i = 2 * t; i < n && i < 2 * t + 2; i++)
    own -= x[i];
  s[t] = own;
  for (int d = 1; d < get_local_size(0); d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t % (2 * d) == 0)
      s[t] += s[t + d];
  }
  if (t == 0)
    *out = -s[0];
}

// Right for an even number of elements.
__kernel void sum_odd(__global int *out, __global const int *x, int n, __local int *s) {
  int t = get_local_id(0);
  s[t] = t < n / 2 ? x[t] + x[t + n / 2] : 0;
  for (int d = get_local_size(0) / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    *out = s[0];
}

// The barrier stands before the loop only.
__kernel void sum_race(__global int *out, __global const int *x, int n, __local int *s) {
  int t = get_local_id(0), own = 0;
  for (int i = t; i < n; i += get_local_size(0))
    own += x[i];
  s[t] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = get_local_size(0) / 2; d > 0; d /= 2)
    if (t < d)
      s[t] += s[t + d];
  if (t == 0)
    *out = s[0];
}
