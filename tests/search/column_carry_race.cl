// lockstep: search
// A running maximum down the columns of an image, a band of rows at a time: the top row of a band takes the maximum so far
// while the bottom row replaces it. column_carry_fixed.cl waits in between.
kernel void running_max(global const int *image, global int *peaks, int bands) {
    local int band[1024], so_far[1024];
    int x = get_local_id(0), y = get_local_id(1), w = get_local_size(0), h = get_local_size(1);
    int column = get_group_id(0) * w + x, pitch = get_num_groups(0) * w;
    if (y == h - 1) so_far[x] = -1;
    for (int k = 0; k < bands; k++) {
        int at = (k * h + y) * pitch + column;
        band[y * w + x] = image[at];
        barrier(CLK_LOCAL_MEM_FENCE);
        int above = y == 0 ? so_far[x] : band[(y - 1) * w + x]; //~ data-race
        peaks[at] = max(above, band[y * w + x]);
        if (y == h - 1) so_far[x] = band[y * w + x]; //~ data-race
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
