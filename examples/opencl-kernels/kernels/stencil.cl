// A five-point stencil over a tile with a halo, in local memory.
#include "common.h"

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void blur(global const float *in, global float *out, int width, int height) {
    local float tile[TILE + 2][TILE + 2];
    int x = get_global_id(0), y = get_global_id(1);
    int tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
    // Threads beyond the image leave before the barrier that the others wait at.
    if (x >= width || y >= height) return;

    tile[ty][tx] = in[y * width + x];
    if (tx == 1) tile[ty][0] = in[y * width + within(x - 1, width)];
    if (tx == TILE) tile[ty][TILE + 1] = in[y * width + within(x + 1, width)];
    if (ty == 1) tile[0][tx] = in[within(y - 1, height) * width + x];
    if (ty == TILE) tile[TILE + 1][tx] = in[within(y + 1, height) * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    out[y * width + x] =
        0.2f * (tile[ty][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}
