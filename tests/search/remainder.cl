// lockstep: check -cl-std=CL3.0
// Each group writes its own part of `o`, unless the last one is smaller.
__kernel void parts(__global int *o, __local int *t) {
    int l = get_local_id(0), n = get_local_size(0);
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_group_id(0) * n + l] = t[n - 1 - l] + 1000 * get_group_id(0); //~ data-race warning
}
