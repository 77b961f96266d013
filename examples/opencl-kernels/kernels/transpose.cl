// A transpose through local memory, so that reads and writes are both in rows.
#include "common.h"

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void transpose(global const float *in, global float *out, int width, int height) {
    local float tile[TILE][TILE + 1];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * TILE + tx, y = get_group_id(1) * TILE + ty;
    if (x < width && y < height) tile[ty][tx] = in[y * width + x];
    // The data is in local memory, the fence is for global memory.
    barrier(CLK_GLOBAL_MEM_FENCE);
    x = get_group_id(1) * TILE + tx;
    y = get_group_id(0) * TILE + ty;
    if (x < height && y < width) out[y * height + x] = tile[tx][ty];
}
