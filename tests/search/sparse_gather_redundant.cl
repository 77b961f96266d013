// lockstep: search
// Each row takes the last of its sums. The barrier in the loop is for local memory of which there is none.
// sparse_gather_fixed.cl is without it.
kernel void gather(global const float *sum, global const uint *last, global float *y, uint rows) {
    uint r = get_group_id(0) * get_local_size(0) * 2 + get_local_id(0);
    for (int k = 0; k < 2; k++) {
        if (r < rows) y[r] += sum[last[r]];
        r += get_local_size(0);
        barrier(CLK_LOCAL_MEM_FENCE); //~ redundant-barrier warning
    }
}
