// lockstep: search
// Every second element is raised, then all are smoothed; the barrier between the two is inside the guard against
// work-items beyond n. smooth_fixed.cl closes the guard before it.
kernel void smooth(global const int *in, global int *out, int n) {
    local int v[1024];
    int t = get_local_id(0), i = get_global_id(0);
    if (i < n) { //~ barrier-divergence
        v[t] = in[i] + t % 2;
        barrier(CLK_LOCAL_MEM_FENCE); //~ barrier-divergence
        int last = min((int)get_local_size(0), n - (int)get_group_id(0) * (int)get_local_size(0)) - 1;
        out[i] = (v[max(t - 1, 0)] + v[t] + v[min(t + 1, last)]) / 3;
    }
}
