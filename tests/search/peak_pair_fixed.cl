// lockstep: search
// What one work-item has found it may store without waiting for anyone.
kernel void two_greatest(global const int *restrict score, global int *restrict out) {
    local int first[16], second[16];
    int x = get_local_id(0), y = get_local_id(1);
    if (x == 0) {
        first[y] = second[y] = -1;
        for (int k = 0; k < 16; k++) {
            int v = score[(get_group_id(0) * 16 + y) * 16 + k];
            second[y] = max(second[y], min(v, first[y]));
            first[y] = max(first[y], v);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x == 0 && y == 0)
        for (int k = 1; k < 16; k++) {
            second[0] = max(max(second[0], second[k]), min(first[0], first[k]));
            first[0] = max(first[0], first[k]);
        }
    if (x == 0 && y == 0) {
        out[get_group_id(0) * 2] = first[0];
        out[get_group_id(0) * 2 + 1] = second[0];
    }
}
