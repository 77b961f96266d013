// A sum of each group, an inclusive scan of each group, and what is added to its elements.
__kernel void sums_of_groups(__global int *out, __global const int *x, int n) {
  __local int s[16];
  int t = get_local_id(0), i = get_global_id(0);
  s[t] = i < n ? x[i] : 0;
  for (int d = get_local_size(0) / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < d)
      s[t] += s[t + d];
  }
  if (t == 0)
    out[get_group_id(0)] = s[0];
}

__kernel void scans_of_groups(__global int *out, __global int *sums, __global const int *x) {
  __local int s[16];
  int t = get_local_id(0), i = get_global_id(0), n = get_local_size(0);
  s[t] = x[i];
  for (int d = 1; d < n; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int left = t >= d ? s[t - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] += left;
  }
  out[i] = s[t];
  if (t == n - 1)
    sums[get_group_id(0)] = s[t];
}

__kernel void add_to_groups(__global int *out, __global const int *sums) {
  if (get_group_id(0) > 0)
    out[get_global_id(0)] += sums[get_group_id(0) - 1];
}

__kernel void smooth(__global float *to, __global const float *from, int n) {
  int i = get_global_id(0);
  if (i < n)
    to[i] = i == 0 || i == n - 1 ? from[i] : 0.5f * from[i] + 0.25f * (from[i - 1] + from[i + 1]);
}
