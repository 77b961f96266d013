// Transposition through a padded tile.
// launch: block=16,4 grid=2,2
// arg: in=f32[1024]:random
// arg: out=f32[1024]
#pragma OPENCL FP_CONTRACT OFF

kernel void transpose(global const float *in, global float *out) {
    local float tile[16][17];
    uint x = get_local_id(0), y = get_local_id(1), bx = 16 * get_group_id(0), by = 16 * get_group_id(1);
    for (uint k = y; k < 16; k += 4) tile[k][x] = in[(by + k) * 32 + bx + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = y; k < 16; k += 4) out[(bx + k) * 32 + by + x] = tile[x][k];
}
