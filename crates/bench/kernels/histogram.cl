// Histogram of 64 bins: atomics on local memory, then one atomic add for each bin and block.
kernel void histogram(global const int *in, global int *bins, int n) {
    local int mine[64];
    int l = get_local_id(0);
    if (l < 64) mine[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[in[i] & 63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 64) atomic_add(&bins[l], mine[l]);
}
