// lockstep: search
// Each work-item clears its cell and adds to its cell: the first barrier orders nothing. That in the reduction is needed.
// cost_fixed.cl is without the first.
kernel void cost(global const float *restrict weight, global float *restrict out, int n) {
    local float sum[1024];
    int t = get_local_id(0);
    sum[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE); //~ redundant-barrier warning
    for (int k = get_global_id(0); k < n; k += get_global_size(0)) sum[t] += weight[k] * weight[k];
    for (int size = get_local_size(0); size > 1;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int mid = (size + 1) / 2;
        if (t + mid < size) sum[t] += sum[t + mid];
        size = mid;
    }
    if (t == 0) out[get_group_id(0)] = sum[0];
}
