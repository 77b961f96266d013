// A barrier that is not known is not left out.
// exit: 3
kernel void k(global const int *in, global int *out, local int *s) {
    int t = get_local_id(0);
    s[t] = in[get_global_id(0)];
    if (t & 1)
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[t];
}
