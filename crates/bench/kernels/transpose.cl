// Transposition of n by n elements through a padded tile; block 16 by 16.
#define T 16
kernel void transpose(global const float *in, global float *out, int n) {
    local float tile[T][T + 1];
    int x = get_local_id(0), y = get_local_id(1), bx = T * get_group_id(0), by = T * get_group_id(1);
    tile[y][x] = in[(by + y) * n + bx + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(bx + y) * n + by + x] = tile[x][y];
}
