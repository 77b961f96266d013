// reference: scans.c:segmented
// launch: --block 4 --grid 1 --arg n=4 --arg x=i32[4]:symbolic --arg flags=i32[4]:symbolic --arg out=i32[4]
// expect[scan]: equivalent
// expect[scan_forgets_flags]: mismatch
__kernel void scan(__global int *out, __global const int *x, __global const int *flags) {
  __local int s[4], f[4];
  int t = get_local_id(0);
  s[t] = x[t];
  f[t] = flags[t] != 0;
  for (int d = 1; d < 4; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int left = t >= d && !f[t] ? s[t - d] : 0, flag = t >= d ? f[t - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] += left;
    f[t] |= flag;
  }
  out[t] = s[t];
}

// Whether a segment began on the way is not passed on.
__kernel void scan_forgets_flags(__global int *out, __global const int *x, __global const int *flags) {
  __local int s[4];
  int t = get_local_id(0), f = flags[t] != 0;
  s[t] = x[t];
  for (int d = 1; d < 4; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int left = t >= d && !f ? s[t - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] += left;
  }
  out[t] = s[t];
}
