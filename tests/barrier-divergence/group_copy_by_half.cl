// Half of the group asks for the copy; all must.
// lockstep: run --block 64 --grid 1 --arg 'in=i32[64]:iota' --arg 'out=i32[64]'
kernel void k(global const int *in, global int *out) {
    local int s[64];
    int t = get_local_id(0);
    event_t e = 0;
    if (t < 32)
        e = async_work_group_copy(s, in, 64, 0); //~ barrier-divergence
    wait_group_events(1, &e);
    out[t] = s[t];
}
