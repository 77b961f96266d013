// Division by 255 as multiplication and shift.
//
// reference: images.c:blend
// launch: --block 4 --grid 1 --arg n=4 --arg alpha=symbolic --arg a=u8[4]:symbolic --arg b=u8[4]:symbolic --arg out=u8[4]
// expect[blend]: equivalent
// expect[blend_shift]: mismatch
__global__ void blend(unsigned char *out, const unsigned char *a, const unsigned char *b, int alpha) {
  int i = threadIdx.x, w = alpha & 255;
  unsigned sum = a[i] * (255 - w) + b[i] * w + 127;
  out[i] = (sum * 0x8081u) >> 23;
}

// By 256.
__global__ void blend_shift(unsigned char *out, const unsigned char *a, const unsigned char *b, int alpha) {
  int i = threadIdx.x, w = alpha & 255;
  out[i] = (a[i] * (255 - w) + b[i] * w + 127) >> 8;
}
