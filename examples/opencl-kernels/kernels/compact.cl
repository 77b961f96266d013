// Keeps the positive elements. Each group counts its own, asks once for room, and fills it.
#include "common.h"

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void keep_positive(global const float *in, global float *out, volatile global int *used, int n) {
    local int count, base;
    int i = get_global_id(0);
    if (get_local_id(0) == 0) count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = 0;
    bool keep = i < n && in[i] > 0;
    if (keep) mine = atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) base = atomic_add(used, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keep) out[base + mine] = in[i];
}
