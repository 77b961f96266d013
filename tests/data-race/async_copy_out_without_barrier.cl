// The copy reads what other work-items may not have written yet.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]'
kernel void k(global int *out) {
    local int s[32];
    int t = get_local_id(0);
    s[t] = 3 * t;                                     //~ data-race
    event_t e = async_work_group_copy(out, s, 32, 0); //~ data-race
    wait_group_events(1, &e);
}
