// lockstep: search
// All work-items execute the loop and its barriers; only those with an element compare.
kernel void match(global const int *restrict dict, global const int *restrict words, global int *restrict hits, int n, int count) {
    local int word;
    int i = get_global_id(0), found = 0;
    for (int k = 0; k < count; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0) word = words[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n) found += dict[i] == word;
    }
    if (i < n) hits[i] = found;
}
