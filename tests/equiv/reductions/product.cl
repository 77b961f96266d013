// reference: reductions.c:product
// launch: --block 8 --grid 1 --arg n=8 --arg x=u32[8]:symbolic --arg out=u32[1]
// expect[product]: equivalent
// expect[product_identity]: mismatch
__kernel void product(__global uint *out, __global const uint *x, int n) {
  __local uint s[8];
  int t = get_local_id(0);
  s[t] = x[n - 1 - t];
  for (int d = 4; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] *= s[t + d];
  }
  if (t == 0)
    *out = s[0];
}

// Starts with zero, as a sum does.
__kernel void product_identity(__global uint *out, __global const uint *x, int n) {
  uint p = 0;
  for (int i = 0; i < n; i++)
    p *= x[i];
  if (get_local_id(0) == 0)
    *out = p;
}
