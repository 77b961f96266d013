// An exclusive scan of each group, up and down a tree in local memory.
#include "common.h"

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void scan_groups(global const int *in, global int *out, global int *totals) {
    local int tree[GROUP];
    int t = get_local_id(0);
    tree[t] = in[get_global_id(0)];
    for (int d = 1; d < GROUP; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int right = (t + 1) * 2 * d - 1;
        if (right < GROUP) tree[right] += tree[right - d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        totals[get_group_id(0)] = tree[GROUP - 1];
        tree[GROUP - 1] = 0;
    }
    for (int d = GROUP / 2; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int right = (t + 1) * 2 * d - 1;
        if (right < GROUP) {
            int left = tree[right - d];
            tree[right - d] = tree[right];
            tree[right] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tree[t];
}
