// reference: reductions.c:row_sums
// launch: --block 4,2 --grid 1,2 --arg rows=4 --arg columns=10 --arg x=i32[40]:symbolic --arg out=i32[4]
// expect[row_sums]: equivalent
// expect[row_sums_stride]: mismatch
__kernel void row_sums(__global int *out, __global const int *x, int columns) {
  __local int s[2][4];
  int t = get_local_id(0), r = get_local_id(1), i = get_global_id(1), own = 0;
  for (int j = t; j < columns; j += 4)
    own += x[i * columns + j];
  s[r][t] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0)
    out[i] = s[r][3] + s[r][1] + s[r][2] + s[r][0];
}

// Rows of a multiple of four.
__kernel void row_sums_stride(__global int *out, __global const int *x, int columns) {
  __local int s[2][4];
  int t = get_local_id(0), r = get_local_id(1), i = get_global_id(1), own = 0;
  for (int j = 0; j < columns / 4; j++)
    own += x[i * columns + 4 * j + t];
  s[r][t] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0)
    out[i] = s[r][3] + s[r][1] + s[r][2] + s[r][0];
}
