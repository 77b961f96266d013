// Bit by bit, against the instruction and against sums of fields.
//
// reference: data.c:popcount
// launch: --block 2 --grid 1 --arg n=2 --arg x=u32[2]:symbolic --arg out=i32[2]
// expect[popcount]: equivalent
// expect[popcount_fields]: equivalent
// expect[popcount_of_31]: mismatch
__global__ void popcount(int *out, const unsigned *x) { out[threadIdx.x] = __popc(x[threadIdx.x]); }

__global__ void popcount_fields(int *out, const unsigned *x) {
  unsigned v = x[threadIdx.x];
  v = v - ((v >> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >> 2) & 0x33333333);
  out[threadIdx.x] = (((v + (v >> 4)) & 0xf0f0f0f) * 0x1010101) >> 24;
}

__global__ void popcount_of_31(int *out, const unsigned *x) { out[threadIdx.x] = __popc(x[threadIdx.x] & 0x7fffffff); }
