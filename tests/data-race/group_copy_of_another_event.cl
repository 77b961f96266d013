// The wait is for the first copy only: the second may not have been made yet.
// lockstep: run --block 32 --grid 1 --arg a=i32[32]:iota --arg b=i32[32]:iota --arg out=i32[32]
kernel void k(global const int *a, global const int *b, global int *out) {
    local int s[32], u[32];
    int t = get_local_id(0);
    event_t first = async_work_group_copy(s, a, 32, 0);
    event_t second = async_work_group_copy(u, b, 32, 0); //~ data-race
    wait_group_events(1, &first);
    out[t] = s[31 - t] + u[31 - t]; //~ data-race
    wait_group_events(1, &second);
}
