// lockstep: search
// Turns tiles of 16 by 16 around. It asks for the group's size where it reads, and takes it for 16 where it writes: with
// other groups, tiles overlap.
#define SIDE 16
__kernel void turn(__global const float *from, __global float *to, int w, int h, __local float *tile) {
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    if (x < w && y < h) tile[ly * (SIDE + 1) + lx] = from[y * w + x]; //~ data-race warning
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * SIDE + lx;
    y = get_group_id(0) * SIDE + ly;
    if (x < h && y < w) to[y * h + x] = tile[lx * (SIDE + 1) + ly]; //~ data-race warning //~ uninitialised-read warning
}
