// lockstep: search
// Work-items beyond n return, and the others wait for them at the barrier. early_return_fixed.cl returns behind it.
kernel void reverse_group(global const int *in, global int *out, int n) {
    local int s[1024];
    int t = get_local_id(0), i = get_global_id(0), first = get_group_id(0) * get_local_size(0);
    if (i >= n) //~ barrier-divergence
        return;
    s[t] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE); //~ barrier-divergence
    out[i] = s[min((int)get_local_size(0), n - first) - 1 - t];
}
