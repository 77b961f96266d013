// lockstep: search
// The same without the barrier: a race of every group.
#define SIDE 16
__kernel void turn(__global const float *from, __global float *to, int w, int h, __local float *tile) {
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    if (x < w && y < h) tile[ly * (SIDE + 1) + lx] = from[y * w + x]; //~ data-race //~ data-race warning
    x = get_group_id(1) * SIDE + lx;
    y = get_group_id(0) * SIDE + ly;
    if (x < h && y < w) to[y * h + x] = tile[lx * (SIDE + 1) + ly]; //~ data-race //~ data-race warning //~ uninitialised-read warning
}
