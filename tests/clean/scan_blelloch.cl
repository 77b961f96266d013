// lockstep: run --block 32 --grid 2 --arg 'a=i32[128]:ones' --arg 's=i32[64]' --dump a
kernel void scan(global int *a, local int *s) {
    int t = get_local_id(0), n = 2 * get_local_size(0);
    global int *mine = a + n * get_group_id(0);
    s[2 * t] = mine[2 * t];
    s[2 * t + 1] = mine[2 * t + 1];
    int step = 1;
    for (int d = n / 2; d > 0; d /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d)
            s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
        step *= 2;
    }
    if (t == 0)
        s[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        step /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d) {
            int i = step * (2 * t + 1) - 1, j = step * (2 * t + 2) - 1;
            int v = s[i];
            s[i] = s[j];
            s[j] += v;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    mine[2 * t] = s[2 * t];
    mine[2 * t + 1] = s[2 * t + 1];
}
