// lockstep: search
// Each row is one work-item's: no barrier.
kernel void gather(global const float *sum, global const uint *last, global float *y, uint rows) {
    uint r = get_group_id(0) * get_local_size(0) * 2 + get_local_id(0);
    for (int k = 0; k < 2; k++) {
        if (r < rows) y[r] += sum[last[r]];
        r += get_local_size(0);
    }
}
