// reference: data.c:xorshift
// launch: --block 8 --grid 1 --arg n=8 --arg rounds=3 --arg state=u32[8]:symbolic --arg out=u32[8]
// expect[xorshift]: equivalent
// expect[xorshift_signed]: mismatch
__kernel void xorshift(__global uint *state, __global uint *out, int rounds) {
  int i = get_global_id(0);
  uint s = state[i];
  for (int r = 0; r < rounds; r++) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
  }
  state[i] = s;
  out[i] = s % 65536;
}

// The shift to the right copies the sign.
__kernel void xorshift_signed(__global int *state, __global uint *out, int rounds) {
  int i = get_global_id(0);
  int s = state[i];
  for (int r = 0; r < rounds; r++) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
  }
  state[i] = s;
  out[i] = s & 0xffff;
}
