// lockstep: search
// Work-items beyond n come to the barrier like all others.
kernel void smooth(global const int *in, global int *out, int n) {
    local int v[1024];
    int t = get_local_id(0), i = get_global_id(0);
    if (i < n) v[t] = in[i] + t % 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) {
        int last = min((int)get_local_size(0), n - (int)get_group_id(0) * (int)get_local_size(0)) - 1;
        out[i] = (v[max(t - 1, 0)] + v[t] + v[min(t + 1, last)]) / 3;
    }
}
