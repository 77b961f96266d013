// lockstep: search
// A query of four words is staged in local memory and compared by everyone; the next one is staged while some still
// compare. query_fixed.cl has a barrier at the end of the loop.
kernel void compare(global const uint *restrict queries, global const uint *restrict codes, global uint *restrict equal, int count) {
    local uint query[4], salt;
    int t = get_local_id(0), i = get_global_id(0);
    if (t == 0) salt = queries[0];
    for (int q = 0; q < count; q++) {
        for (int k = t; k < 4; k += get_local_size(0))
            query[k] = queries[q * 4 + k]; //~ data-race
        barrier(CLK_LOCAL_MEM_FENCE);
        uint bits = salt;
        for (int k = 0; k < 4; k++)
            bits += popcount(query[k] ^ codes[i * 4 + k]); //~ data-race
        equal[q * get_global_size(0) + i] = bits;
    }
}
