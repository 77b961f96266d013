// reference: images.c:brighten
// launch: --block 16 --grid 1 --arg n=16 --arg image=u8[16]:symbolic --arg by=u8[16]:symbolic
// expect[brighten]: equivalent
// expect[brighten_wraps]: mismatch
__kernel void brighten(__global uchar *image, __global const uchar *by) {
  int i = get_global_id(0);
  image[i] = add_sat(image[i], by[i]);
}

__kernel void brighten_wraps(__global uchar *image, __global const uchar *by) {
  int i = get_global_id(0);
  uchar sum = image[i] + by[i];
  image[i] = min(sum, (uchar)255);
}
