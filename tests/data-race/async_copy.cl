// Copy in, wait, use: clean.
// lockstep: run --block 32 --grid 2 --arg 'in=i32[64]:iota' --arg 'out=i32[64]'
kernel void k(global const int *in, global int *out) {
    local int s[32];
    int t = get_local_id(0);
    event_t e = async_work_group_copy(s, in + 32 * get_group_id(0), 32, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = s[31 - t];
}
