// reference: images.c:grey
// launch: --block 8 --grid 1 --arg n=8 --arg rgb=u8[24]:symbolic --arg out=u8[8]
// expect[grey]: equivalent
// expect[grey_bytes]: mismatch
__kernel void grey(__global uchar *out, __global const uchar *rgb) {
  int i = get_global_id(0);
  uchar3 p = vload3(i, rgb);
  out[i] = (p.x * 77 + p.y * 150 + p.z * 29) / 256;
}

// The products wrap.
__kernel void grey_bytes(__global uchar *out, __global const uchar *rgb) {
  int i = get_global_id(0);
  ushort3 p = convert_ushort3(vload3(i, rgb));
  ushort low = p.x * (ushort)77 + p.y * (ushort)150;
  out[i] = (uchar)(((short)low >> 8) + ((p.z * 29) >> 8));
}
