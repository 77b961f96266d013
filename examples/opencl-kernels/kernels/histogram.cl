// Counts bytes: in local memory first, then one atomic for each bin and group.
#include "common.h"

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void histogram(global const uchar *in, volatile global uint *bins, int n) {
    local uint mine[256];
    for (int b = get_local_id(0); b < 256; b += GROUP) mine[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = get_local_id(0); b < 256; b += GROUP) atomic_add(&bins[b], mine[b]);
}
