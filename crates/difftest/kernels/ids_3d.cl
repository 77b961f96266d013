// Every work-item function in three dimensions.
// launch: block=4,3,2 grid=2,2,3
// arg: out=u32[5184]
#pragma OPENCL FP_CONTRACT OFF

kernel void ids(global uint *out) {
    size_t g = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    global uint *o = out + 18 * g;
    for (uint d = 0; d < 3; d++) {
        o[6 * d] = get_global_id(d);
        o[6 * d + 1] = get_local_id(d);
        o[6 * d + 2] = get_group_id(d);
        o[6 * d + 3] = get_local_size(d) + 100 * get_num_groups(d);
        o[6 * d + 4] = get_global_size(d);
        o[6 * d + 5] = get_global_offset(d) + get_work_dim();
    }
}
