// Each element becomes the mean of itself and its neighbours. The first kernel stores while others still read; the second has a
// barrier between.
// lockstep: check --block 32 --grid 1 --symbolic

kernel void avg(global float *a) {
    size_t lid = get_local_id(0), lsize = get_local_size(0);
    float r0 = lid > 0 ? a[lid - 1] : 0; //~ data-race
    float r1 = a[lid];
    float r2 = lid + 1 < lsize ? a[lid + 1] : 0; //~ data-race
    a[lid] = (r0 + r1 + r2) / 3; //~ data-race
}

kernel void avg2(global float *a) {
    size_t lid = get_local_id(0), lsize = get_local_size(0);
    float r0 = lid > 0 ? a[lid - 1] : 0;
    float r1 = a[lid];
    float r2 = lid + 1 < lsize ? a[lid + 1] : 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[lid] = (r0 + r1 + r2) / 3;
}
