// --block 64 --grid 4
// Group copies: once for the block, between their issue and the wait.

kernel void clean_in(global const int *in, global int *out) {
    local int s[64];
    event_t e = async_work_group_copy(s, in + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[63 - get_local_id(0)];
}
// Whether a wait tells the others too is read differently: nothing is claimed.
kernel void open_in_without_barrier(global const int *in, global int *out) {
    local int s[64];
    event_t e = async_work_group_copy(s, in + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = s[63 - get_local_id(0)];
}
kernel void racy_in_without_wait(global const int *in, global int *out) {
    local int s[64];
    event_t e = async_work_group_copy(s, in + 64 * get_group_id(0), 64, 0);
    out[get_global_id(0)] = s[63 - get_local_id(0)];
    wait_group_events(1, &e);
}
// A barrier is no wait.
kernel void racy_in_with_barrier_for_wait(global const int *in, global int *out) {
    local int s[64];
    event_t e = async_work_group_copy(s, in + 64 * get_group_id(0), 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[63 - get_local_id(0)];
    wait_group_events(1, &e);
}
kernel void clean_out(global int *out) {
    local int s[64];
    s[get_local_id(0)] = 3 * get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 64 * get_group_id(0), s, 64, 0);
    wait_group_events(1, &e);
}
kernel void racy_out_without_barrier(global int *out) {
    local int s[64];
    s[get_local_id(0)] = 3 * get_local_id(0);
    event_t e = async_work_group_copy(out + 64 * get_group_id(0), s, 64, 0);
    wait_group_events(1, &e);
}
kernel void racy_out_of_all_groups(global int *out) {
    local int s[64];
    s[get_local_id(0)] = get_group_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, s, 64, 0);
    wait_group_events(1, &e);
}
// The wait orders the copy, not the threads.
kernel void racy_overwritten_after_wait(global const int *in, global int *out) {
    local int s[64];
    event_t e = async_work_group_copy(s, in, 64, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = s[63 - get_local_id(0)];
    s[get_local_id(0)] = 0;
}
// Which of the two the wait is for is not followed.
kernel void open_halves(global const int *in, global int *out) {
    local int s[128];
    event_t e = async_work_group_copy(s, in, 64, 0);
    e = async_work_group_copy(s + 64, in, 64, e);
    wait_group_events(1, &e);
    out[get_global_id(0)] = s[127 - get_local_id(0)];
}
kernel void racy_overlapping_copies(global const int *in, global int *out) {
    local int s[128];
    event_t e = async_work_group_copy(s, in, 65, 0);
    e = async_work_group_copy(s + 64, in, 64, e);
    wait_group_events(1, &e);
    out[get_global_id(0)] = s[127 - get_local_id(0)];
}
kernel void clean_strided(global const int *in, global int *out) {
    local int s[64];
    event_t e = async_work_group_copy(s, in, 64, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + 128 * get_group_id(0), s, 64, 2, 0);
    out[128 * get_group_id(0) + 2 * get_local_id(0) + 1] = 1;
    wait_group_events(1, &e);
}
kernel void racy_strided(global const int *in, global int *out) {
    local int s[64];
    event_t e = async_work_group_copy(s, in, 64, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + 128 * get_group_id(0), s, 64, 2, 0);
    out[128 * get_group_id(0) + 2 * get_local_id(0)] = 1;
    wait_group_events(1, &e);
}
kernel void clean_tiles(global const int *in, global int *out, int n) {
    local int s[64];
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        event_t e = async_work_group_copy(s, in + 64 * i, 64, 0);
        wait_group_events(1, &e);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += s[63 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
// The next tile comes while some still read this one.
kernel void racy_tiles(global const int *in, global int *out, int n) {
    local int s[64];
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        event_t e = async_work_group_copy(s, in + 64 * i, 64, 0);
        wait_group_events(1, &e);
        sum += s[63 - get_local_id(0)];
    }
    out[get_global_id(0)] = sum;
}
kernel void clean_any_count(global const int *in, global int *out, uint n) {
    local int s[64];
    if (n > 64) return;
    event_t e = async_work_group_copy(s, in, n, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < n) out[get_global_id(0)] = s[get_local_id(0)];
}
kernel void clean_prefetched(global const int *in, global int *out) {
    prefetch(in + get_global_id(0), 16);
    out[get_global_id(0)] = in[get_global_id(0)];
}
// Each wait is for its own copy.
kernel void clean_two_in_turn(global const int *in, global int *out) {
    local int s[64], r[64];
    event_t e = async_work_group_copy(s, in + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    event_t f = async_work_group_copy(r, in + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &f);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[63 - get_local_id(0)] + r[get_local_id(0)];
}
// This one waits for nothing.
kernel void open_wait_for_no_copy(global const int *in, global int *out) {
    local int s[64];
    event_t e = async_work_group_copy(s, in + 64 * get_group_id(0), 64, 0), none = 0;
    wait_group_events(1, &none);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[63 - get_local_id(0)];
    wait_group_events(1, &e);
}
