// Local memory that the host allots.
// lockstep[racy]: run --block 64 --grid 2 --arg 'out=i32[128]' --arg 's=i32[64]' -DFENCE=0
// lockstep[clean]: run --block 64 --grid 2 --arg 'out=i32[128]' --arg 's=i32[64]' -DFENCE=CLK_LOCAL_MEM_FENCE
kernel void k(global int *out, local int *s) {
    int t = get_local_id(0);
    s[t] = t; //~[racy] data-race
    barrier(FENCE);
    out[get_global_id(0)] = s[63 - t]; //~[racy] data-race
}
