// lockstep: search
// The rows of the tile are one too short for the blocks that the indices are for.
__kernel void turn(__global const float *in, __global float *out, int w, int h) {
    __local float tile[16][15];
    int i = get_local_id(0), j = get_local_id(1);
    int x = get_group_id(0) * 16 + i, y = get_group_id(1) * 16 + j;
    if (x < w && y < h) tile[j][i] = in[y * w + x];  //~ data-race //~ out-of-bounds warning
    barrier(CLK_LOCAL_MEM_FENCE);
    int u = get_group_id(1) * 16 + i, v = get_group_id(0) * 16 + j;
    if (u < h && v < w) out[v * h + u] = tile[i][j]; //~ out-of-bounds warning
}
