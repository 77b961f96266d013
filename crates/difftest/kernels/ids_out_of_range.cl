// Work-item functions with a dimension that does not exist give 0 or 1.
// launch: block=8 grid=2
// arg: out=u32[80]
#pragma OPENCL FP_CONTRACT OFF

kernel void ids(global uint *out) {
    size_t i = get_global_id(0);
    out[5 * i] = get_global_id(2) + get_local_id(1);
    out[5 * i + 1] = get_local_size(1) + get_num_groups(2);
    out[5 * i + 2] = get_global_size(1);
    out[5 * i + 3] = get_group_id(1);
    out[5 * i + 4] = get_global_offset(2);
}
