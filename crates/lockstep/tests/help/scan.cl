kernel void scan(global int *a, local int *t) {
    int i = get_local_id(0);
    t[i] = a[get_global_id(0)];
    for (int d = 1; d < get_local_size(0); d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int before = i >= d ? t[i - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[i] += before;
    }
    a[get_global_id(0)] = t[i];
}
