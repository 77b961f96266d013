// The host allots 32 elements of local memory for 64 work-items.
// lockstep: run --block 64 --grid 1 --arg 's=i32[32]' --arg 'out=i32[64]'
kernel void k(local int *s, global int *out) {
    int t = get_local_id(0);
    s[t] = t; //~ out-of-bounds
    out[t] = t;
}
