// reference: images.c:flip
// launch: --block 4,2 --grid 1,2 --arg width=7 --arg height=4 --arg image=i32[28]:symbolic
// launch[flip_all]: --block 7,2
// expect[flip]: equivalent
// expect[flip_all]: data-race
// expect[flip_off_by_one]: mismatch
__kernel void flip(__global int *image, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < width / 2) {
    int a = image[y * width + x], b = image[y * width + width - 1 - x];
    image[y * width + x] = b;
    image[y * width + width - 1 - x] = a;
  }
}

__kernel void flip_all(__global int *image, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  image[y * width + x] = image[y * width + width - 1 - x];
}

__kernel void flip_off_by_one(__global int *image, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < width / 2 - 1) {
    int a = image[y * width + x], b = image[y * width + width - 1 - x];
    image[y * width + x] = b;
    image[y * width + width - 1 - x] = a;
  }
}
