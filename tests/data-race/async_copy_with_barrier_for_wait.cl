// A barrier is no wait: the copy may still be under way.
// lockstep: run --block 32 --grid 1 --arg 'in=i32[32]:iota' --arg 'out=i32[32]'
kernel void k(global const int *in, global int *out) {
    local int s[32];
    int t = get_local_id(0);
    event_t e = async_work_group_copy(s, in, 32, 0); //~ data-race
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = s[31 - t];                              //~ data-race
    wait_group_events(1, &e);
}
