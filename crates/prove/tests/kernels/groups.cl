// --block 64 --grid 4
// Functions of a work-group: its threads wait for each other, and one value is the same for all of them.
kernel void clean_sum(global int *out, global const int *in) {
    int sum = work_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0) out[get_group_id(0)] = sum;
}
kernel void clean_barrier_under_a_sum(global int *out, global const int *in) {
    local int s[64];
    int l = get_local_id(0);
    s[l] = in[l];
    if (work_group_reduce_max(in[l]) > 3) {
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_group_id(0) * 64 + l] = s[63 - l];
    }
}
kernel void racy_sum_is_no_fence(global int *out, global const int *in) {
    local int s[64];
    int l = get_local_id(0);
    s[l] = in[l];
    int sum = work_group_reduce_add(in[l]);
    out[get_group_id(0) * 64 + l] = s[63 - l] + sum;
}
kernel void maybe_scanned_places(global int *out, global const int *in) {
    int l = get_local_id(0);
    out[work_group_scan_exclusive_add(in[l] & 1)] = l;
}
kernel void clean_offset_of_the_first(global int *out, global const int *in) {
    int l = get_local_id(0);
    int base = work_group_broadcast(in[l] & 1023, 0);
    if (get_group_id(0) == 0) out[base + l] = 1;
}
