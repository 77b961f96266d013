// lockstep: search
__kernel void match(__global const char *text, int n, __global const char *pattern, int m, __global int *at, __global int *count) {
    int i = get_global_id(0);
    if (i > n - m) return;
    for (int k = 0; k < m; k++)
        if (text[i + k] != pattern[k]) return;
    at[atomic_inc(count)] = i;
}
