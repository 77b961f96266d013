// Values of a whole work-group, without local memory.
// lockstep: run --block 40 --grid 2 --arg 'out=i32[8]' --arg 'scans=i32[80]' --arg 'in=i32[80]:iota' --dump out --dump scans -- -cl-std=CL2.0
kernel void values(global int *out, global int *scans, global const int *in) {
    int g = get_global_id(0), at = get_group_id(0) * 4;
    int sum = work_group_reduce_add(in[g]);
    int least = work_group_reduce_min(in[g] - 50);
    float most = work_group_reduce_max((float)in[g]);
    int third = work_group_broadcast(in[g], 3);
    scans[g] = work_group_scan_exclusive_add(in[g] & 1) + work_group_scan_inclusive_max(in[g]);
    if (get_local_id(0) == 0) {
        out[at] = sum;
        out[at + 1] = least;
        out[at + 2] = (int)most;
        out[at + 3] = third;
    }
}
