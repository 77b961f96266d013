// Listing 2: halves are added without a barrier, because threads of a warp were in step once.
//
// reference: op2_reduction.c:reduce
// launch: --block 32 --grid 1 --arg n=32 --arg values=f32[32]:symbolic --arg result=f32[1]:symbolic --arg temp=f32[32]
// expect[op2_original]: data-race
// expect[op2_barrier]: equivalent under associative
// expect[op2_drops_a_level]: mismatch under associative
__kernel void op2_original(__global float *result, __global const float *values, __local float *temp) {
  int tid = get_local_id(0), d = get_local_size(0) >> 1;
  __local volatile float *vtemp = temp;
  temp[tid] = values[tid];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (; d > 0; d >>= 1) {
    if (tid < d)
      vtemp[tid] = vtemp[tid] + vtemp[tid + d];
  }
  if (tid == 0)
    *result += vtemp[0];
}

__kernel void op2_barrier(__global float *result, __global const float *values, __local float *temp) {
  int tid = get_local_id(0), d = get_local_size(0) >> 1;
  temp[tid] = values[tid];
  for (; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < d)
      temp[tid] = temp[tid] + temp[tid + d];
  }
  if (tid == 0)
    *result += temp[0];
}

__kernel void op2_drops_a_level(__global float *result, __global const float *values, __local float *temp) {
  int tid = get_local_id(0), d = get_local_size(0) >> 1;
  temp[tid] = values[tid];
  for (; d > 1; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < d)
      temp[tid] = temp[tid] + temp[tid + d];
  }
  if (tid == 0)
    *result += temp[0];
}
