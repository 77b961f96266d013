// Two buffers: while one is read, the other is filled, and each wait is for the older copy.
// lockstep: run --block 32 --grid 2 --arg a=i32[256]:iota --arg out=i32[64] --arg n=4
kernel void k(global const int *a, global int *out, int n) {
    local int s[2][32];
    int t = get_local_id(0), sum = 0;
    a += get_group_id(0) * 32 * n;
    event_t events[2];
    events[0] = async_work_group_copy(s[0], a, 32, 0);
    for (int i = 0; i < n; i++) {
        if (i + 1 < n) events[(i + 1) & 1] = async_work_group_copy(s[(i + 1) & 1], a + (i + 1) * 32, 32, 0);
        wait_group_events(1, &events[i & 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += s[i & 1][31 - t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
