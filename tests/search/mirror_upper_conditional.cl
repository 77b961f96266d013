// lockstep: search
// As mirror_lower_conditional.cu, the other way round and in OpenCL: racy for a pitch that is smaller than n.
// mirror_upper_fixed.cl takes n for the pitch then.
kernel void mirror_upper(global int *m, int n, int pitch) {
    int i = get_global_id(0), j = get_global_id(1);
    if (i < j && j < n)
        m[j * pitch + i] = m[i * pitch + j]; //~ data-race warning
}
