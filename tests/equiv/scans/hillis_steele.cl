// reference: scans.c:inclusive
// launch: --block 16 --grid 1 --arg n=16 --arg x=i32[16]:symbolic --arg out=i32[16]
// expect[scan]: equivalent
// expect[scan_stops_early]: mismatch
// expect[scan_in_place]: data-race
__kernel void scan(__global int *out, __global const int *x) {
  __local int s[2][16];
  int t = get_local_id(0), from = 0;
  s[0][t] = x[t];
  for (int d = 1; d < 16; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    s[1 - from][t] = t < d ? s[from][t] : s[from][t] + s[from][t - d];
    from = 1 - from;
  }
  out[t] = s[from][t];
}

__kernel void scan_stops_early(__global int *out, __global const int *x) {
  __local int s[2][16];
  int t = get_local_id(0), from = 0;
  s[0][t] = x[t];
  for (int d = 1; d < 8; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    s[1 - from][t] = t < d ? s[from][t] : s[from][t] + s[from][t - d];
    from = 1 - from;
  }
  out[t] = s[from][t];
}

__kernel void scan_in_place(__global int *out, __global const int *x) {
  __local int s[16];
  int t = get_local_id(0);
  s[t] = x[t];
  for (int d = 1; d < 16; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t >= d)
      s[t] += s[t - d];
  }
  out[t] = s[t];
}
