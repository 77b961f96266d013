// lockstep: search
// The pitch is n at least.
kernel void mirror_upper(global int *m, int n, int pitch) {
    int i = get_global_id(0), j = get_global_id(1), p = max(pitch, n);
    if (i < j && j < n)
        m[j * p + i] = m[i * p + j];
}
