// reference: avg.c:avg
// launch: --block 8 --grid 1 --arg n=8 --arg a=f32[8]:symbolic
// expect[avg]: data-race
// expect[avg2]: equivalent
// expect[avg2_of_two]: mismatch
__kernel void avg(__global float *a) {
  size_t lid = get_local_id(0), lsize = get_local_size(0);
  float r0 = lid > 0 ? a[lid - 1] : 0;
  float r1 = a[lid];
  float r2 = lid + 1 < lsize ? a[lid + 1] : 0;
  a[lid] = (r0 + r1 + r2) / 3;
}

__kernel void avg2(__global float *a) {
  size_t lid = get_local_id(0), lsize = get_local_size(0);
  float r0 = lid > 0 ? a[lid - 1] : 0;
  float r1 = a[lid];
  float r2 = lid + 1 < lsize ? a[lid + 1] : 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  a[lid] = (r0 + r1 + r2) / 3;
}

// The last element has a neighbour on its left only, but it still counts three.
__kernel void avg2_of_two(__global float *a) {
  size_t lid = get_local_id(0), lsize = get_local_size(0);
  float r0 = lid > 0 ? a[lid - 1] : 0;
  float r1 = a[lid];
  float r2 = lid + 1 < lsize ? a[lid + 1] : 0;
  barrier(CLK_GLOBAL_MEM_FENCE);
  a[lid] = (r0 + r1 + r2) / (lid + 1 < lsize ? 3 : 2);
}
