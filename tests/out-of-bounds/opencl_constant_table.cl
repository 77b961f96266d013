// The table has four entries.
// lockstep: run --block 8 --grid 1 --arg 'out=i32[8]'
constant int table[4] = {2, 3, 5, 7};

kernel void k(global int *out) {
    int t = get_local_id(0);
    out[t] = table[t]; //~ out-of-bounds
}
