// lockstep: search
// Where a short pattern stands in a text: two threads that find it count without an atomic. matches_fixed.cl has one.
__kernel void match(__global const char *text, int n, __global const char *pattern, int m, __global int *at, __global int *count) {
    int i = get_global_id(0);
    if (i > n - m) return;
    for (int k = 0; k < m; k++)
        if (text[i + k] != pattern[k]) return;
    int c = *count; //~ data-race
    *count = c + 1; //~ data-race //~ data-race
    at[c] = i; //~ data-race
}
