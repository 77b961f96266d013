// lockstep: search
// A whole loop with barriers is executed only by the work-items that have an element: those beyond n never come.
// match_fixed.cl puts the condition inside the loop.
kernel void match(global const int *restrict dict, global const int *restrict words, global int *restrict hits, int n, int count) {
    local int word;
    int i = get_global_id(0), found = 0;
    if (i < n) { //~ barrier-divergence
        for (int k = 0; k < count; k++) {
            barrier(CLK_LOCAL_MEM_FENCE); //~ barrier-divergence
            if (get_local_id(0) == 0) word = words[k];
            barrier(CLK_LOCAL_MEM_FENCE); //~ barrier-divergence
            found += dict[i] == word;
        }
        hits[i] = found;
    }
}
