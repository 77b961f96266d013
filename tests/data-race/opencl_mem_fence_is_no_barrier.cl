// mem_fence orders one work-item's own accesses; nobody waits for anybody.
// lockstep: run --block 64 --grid 1 --arg 'out=i32[64]'
kernel void k(global int *out) {
    local int s[64];
    int t = get_local_id(0);
    s[t] = t; //~ data-race
    mem_fence(CLK_LOCAL_MEM_FENCE);
    out[t] = s[63 - t]; //~ data-race
}
