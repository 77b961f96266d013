// The copy reads 33 elements into 32.
// lockstep: run --block 32 --grid 1 --arg 'in=i32[33]:iota' --arg 'out=i32[32]'
kernel void k(global const int *in, global int *out) {
    local int s[32];
    event_t e = async_work_group_copy(s, in, 33, 0); //~ out-of-bounds
    wait_group_events(1, &e);
    out[get_local_id(0)] = s[get_local_id(0)];
}
