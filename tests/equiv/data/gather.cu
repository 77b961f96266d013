// reference: data.c:gather
// launch: --block 4 --grid 3 --arg count=3 --arg width=4 --arg rows=i32[3]:2,0,1 --arg table=f32[12]:symbolic --arg out=f32[12]
// expect[gather]: equivalent
// expect[gather_vectors]: equivalent
// expect[gather_in_order]: mismatch
__global__ void gather(float *out, const float *table, const int *rows, int width) {
  out[blockIdx.x * width + threadIdx.x] = table[rows[blockIdx.x] * width + threadIdx.x];
}

__global__ void gather_vectors(float4 *out, const float4 *table, const int *rows) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = table[rows[blockIdx.x]];
}

__global__ void gather_in_order(float *out, const float *table, const int *rows, int width) {
  out[rows[blockIdx.x] * width + threadIdx.x] = table[blockIdx.x * width + threadIdx.x];
}
