// A quarter turn from one image to another, as large as the image is.
// lockstep: run --block 8,8 --grid 3,3 --arg 'from=f32[1600]:random' --arg 'to=f32[1600]'
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void rotate_image(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(from);
    if (at.x >= size.x || at.y >= size.y) return;
    write_imagef(to, (int2)(size.y - 1 - at.y, at.x), read_imagef(from, nearest, at));
}
