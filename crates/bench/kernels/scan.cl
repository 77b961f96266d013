// Hillis-Steele inclusive scan of each block of 256, with two buffers.
kernel void scan(global const int *in, global int *out) {
    local int t[2][256];
    int l = get_local_id(0), from = 0;
    t[0][l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 256; d *= 2) {
        t[1 - from][l] = l >= d ? t[from][l] + t[from][l - d] : t[from][l];
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = t[from][l];
}
