// --block 8,8 --grid 4,4
// Images: a read-only one conflicts with nothing, the others are memory. Names as in basics.cu.

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void clean_copy(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, nearest, at + (int2)(1, 0)));
}

kernel void clean_flipped(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x >= get_image_width(from) || at.y >= get_image_height(from)) return;
    write_imagef(to, (int2)(at.y, at.x), read_imagef(from, nearest, at));
}

kernel void racy_column(write_only image2d_t to) {
    write_imagei(to, (int2)(get_global_id(0), 0), (int4)(get_global_id(1)));
}

kernel void racy_shared_texel(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0) / 2, get_global_id(1));
    write_imageui(to, at, (uint4)(get_global_id(0)));
}

kernel void racy_in_place(read_write image2d_t image) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 v = read_imagef(image, at + (int2)(1, 0));
    write_imagef(image, at, v);
}

kernel void clean_in_place(read_write image2d_t image) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(image, at, 2.0f * read_imagef(image, at));
}

// Two different images, each by its own threads.
kernel void clean_layers(write_only image2d_array_t to, write_only image3d_t volume) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), 3, 0);
    write_imagef(to, at, (float4)(0.5f));
    write_imagef(volume, at, (float4)(0.5f));
}

// The sampler decides what is read.
kernel void maybe_samplers(read_only image2d_t from, sampler_t mine, global int *out) {
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    int a = read_imagei(from, mine, (int2)(0, 0)).x, b = read_imagei(from, nearest, (int2)(0, 0)).x;
    out[(i & 1) ? i + a : i + b] = i;
}

kernel void clean_offset_of_all(read_only image2d_t from, sampler_t mine, global int *out) {
    int i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[i + (read_imagei(from, mine, (int2)(0, 0)).x & 1023)] = i;
}
