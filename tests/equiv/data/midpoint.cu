// reference: data.c:midpoint
// launch: --block 8 --grid 1 --arg n=8 --arg a=u32[8]:symbolic --arg b=u32[8]:symbolic --arg out=u32[8]
// expect[midpoint]: equivalent
// expect[midpoint_intrinsic]: equivalent
// expect[midpoint_wraps]: mismatch
__global__ void midpoint(unsigned *out, const unsigned *a, const unsigned *b) {
  unsigned x = a[threadIdx.x], y = b[threadIdx.x];
  out[threadIdx.x] = (x & y) + ((x ^ y) >> 1);
}

__global__ void midpoint_intrinsic(unsigned *out, const unsigned *a, const unsigned *b) {
  out[threadIdx.x] = __uhadd(a[threadIdx.x], b[threadIdx.x]);
}

__global__ void midpoint_wraps(unsigned *out, const unsigned *a, const unsigned *b) {
  out[threadIdx.x] = (a[threadIdx.x] + b[threadIdx.x]) / 2;
}
