// An int at an odd address.
// lockstep: run --block 8 --grid 1 --arg 'a=u8[33]:iota' --arg 'out=i32[8]'
kernel void k(global const uchar *a, global int *out) {
    int t = get_local_id(0);
    out[t] = *(global const int *)(a + 4 * t + 1); //~ misaligned
}
