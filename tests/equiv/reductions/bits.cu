// reference: reductions.c:bits
// launch: --block 12 --grid 1 --arg n=12 --arg x=u32[12]:symbolic --arg out=u32[3]:4294967295,0,0
// expect[bits]: equivalent
// expect[bits_swapped]: mismatch
__global__ void bits(unsigned *out, const unsigned *x) {
  atomicAnd(&out[0], x[threadIdx.x]);
  atomicOr(&out[1], x[threadIdx.x]);
  atomicXor(&out[2], x[threadIdx.x]);
}

__global__ void bits_swapped(unsigned *out, const unsigned *x) {
  atomicAnd(&out[0], x[threadIdx.x]);
  atomicXor(&out[1], x[threadIdx.x]);
  atomicOr(&out[2], x[threadIdx.x]);
}
