// Events in an array, one of them used for two copies; the list that is waited for is too short by one.
// lockstep[all]: run --block 32 --grid 1 --arg a=i32[96]:iota --arg out=i32[32] --arg n=2
// lockstep[some]: run --block 32 --grid 1 --arg a=i32[96]:iota --arg out=i32[32] --arg n=1
kernel void k(global const int *a, global int *out, int n) {
    local int s[3][32];
    int t = get_local_id(0);
    event_t events[2];
    events[0] = async_work_group_copy(s[0], a, 32, 0);
    events[0] = async_work_group_copy(s[1], a + 32, 32, events[0]);
    events[1] = async_work_group_copy(s[2], a + 64, 32, 0); //~[some] data-race
    wait_group_events(n, events);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t] = s[0][31 - t] + s[1][31 - t] + s[2][31 - t]; //~[some] data-race
}
