// Barrier before the copy reads what the others wrote: clean.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]'
kernel void k(global int *out) {
    local int s[32];
    int t = get_local_id(0);
    s[t] = 3 * t;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, s, 32, 0);
    wait_group_events(1, &e);
}
