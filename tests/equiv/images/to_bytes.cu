// Division by 255 as multiplication and shift.
//
// reference: images.c:to_bytes
// launch: --block 4 --grid 1 --arg n=4 --arg products=u16[4]:symbolic --arg out=u8[4]
// expect[to_bytes]: equivalent
// expect[to_bytes_shift]: mismatch
__global__ void to_bytes(unsigned char *out, const unsigned short *products) {
  unsigned x = products[threadIdx.x] + 127u;
  out[threadIdx.x] = (x * 0x8081ull) >> 23;
}

// By 256.
__global__ void to_bytes_shift(unsigned char *out, const unsigned short *products) {
  out[threadIdx.x] = (products[threadIdx.x] + 127) >> 8;
}
