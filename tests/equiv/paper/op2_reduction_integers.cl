// For integers no assumption is needed.
//
// reference: op2_reduction.c:reduce_integers
// launch: --block 32 --grid 1 --arg n=32 --arg values=i32[32]:symbolic --arg result=i32[1]:symbolic --arg temp=i32[32]
// expect[op2_original]: data-race
// expect[op2_barrier]: equivalent
__kernel void op2_original(__global int *result, __global const int *values, __local int *temp) {
  int tid = get_local_id(0), d = get_local_size(0) >> 1;
  __local volatile int *vtemp = temp;
  temp[tid] = values[tid];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (; d > 0; d >>= 1) {
    if (tid < d)
      vtemp[tid] = vtemp[tid] + vtemp[tid + d];
  }
  if (tid == 0)
    *result += vtemp[0];
}

__kernel void op2_barrier(__global int *result, __global const int *values, __local int *temp) {
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
